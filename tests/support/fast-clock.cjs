// Loaded before dev-cli (`node --require`): from DEV_CLI_TEST_CLOCK_FROM on, the clock runs DEV_CLI_TEST_CLOCK times as
// fast, so that tests need not wait for time limits of minutes.
const speed = Number(process.env['DEV_CLI_TEST_CLOCK'] ?? 1);
const from = Number(process.env['DEV_CLI_TEST_CLOCK_FROM'] ?? 0);
const real = Date.now.bind(Date);
const now = () => Math.round(from + (real() - from) * speed);

globalThis.Date = new Proxy(Date, {
  construct: (target, given) => Reflect.construct(target, given.length === 0 ? [now()] : given),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
