// Loaded before the binary: the clock is off by so many milliseconds, and goes back by an hour at each look when told to.
const real = Date.now;
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
const back = process.env.TEST_CLOCK_BACK === '1' ? 3_600_000 : 0;
let looks = 0;

Date.now = () => {
  looks += 1;
  return real() + shift - back * looks;
};
