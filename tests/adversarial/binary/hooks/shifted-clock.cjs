// Preloaded into the binary: shifts the clock by TEST_CLOCK_SHIFT ms; TEST_CLOCK_BACK=1 turns it back an hour per call.
const real = Date.now;
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
const back = process.env.TEST_CLOCK_BACK === '1' ? 3_600_000 : 0;
let looks = 0;

Date.now = () => {
  looks += 1;
  return real() + shift - back * looks;
};
