/** The head of an engine recipe, and a handler of each actor. */
export const ENGINE = 'name: demo\ntype: engine\n';
export const YES = '{ actor: human, message: Shall it? }';
