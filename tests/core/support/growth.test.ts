import { expect, it } from 'vitest';
import { expectLinear, expectWithin } from '../../support/growth.js';

const make = (size: number) => 'x'.repeat(size);
const linear = (text: string) => text.replace(/x/g, 'y');
/** Searches the rest of the text from each of its characters, in vain. */
const quadratic = (text: string) => /x+$/.test(`${text}y`);

it('linear work is told from quadratic work by its growth', () => {
  expectLinear(make, linear, 1_000_000);
  expect(() => expectLinear(make, quadratic, 30_000, 'the planted one')).toThrow('the planted one');
});

it('dear work is told from cheap work by its ratio', () => {
  const text = make(20_000);
  const cheap = () => linear(text);
  expectWithin(8, cheap, () => [cheap(), cheap()]);
  expect(() => expectWithin(8, cheap, () => quadratic(text), 'the planted one')).toThrow('the planted one');
});
