/** The head of an engine recipe, and a handler whose actor is a human. */
export const ENGINE = 'name: demo\ntype: engine\n';
export const YES = '{ actor: human, message: Shall it? }';
