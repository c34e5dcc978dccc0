/** How much text an agent has to read. */
export interface Amount {
  bytes: number;
  characters: number;
}

/** Measures the amount of a text. */
export function measureAmount(text: string): Amount {
  return { bytes: Buffer.byteLength(text), characters: text.length };
}

/** Sums up amounts. */
export function sumAmounts(amounts: readonly Amount[]): Amount {
  return {
    bytes: amounts.reduce((all, { bytes }) => all + bytes, 0),
    characters: amounts.reduce((all, { characters }) => all + characters, 0),
  };
}
