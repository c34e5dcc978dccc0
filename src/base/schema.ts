import { type Static, type TObject, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';

/** Helpers for TypeBox schemas. Each results in a smaller validator and clearer errors than a plain union. */

/** A string from a closed list. */
export function enumSchema<T extends string>(...values: T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values });
}

export const NullableString: TUnsafe<string | null> = Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** `schema` or null. */
export function nullableSchema<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
}

/**
 * A union of objects, discriminated by the literal under `tag`, so that errors refer only to the intended variant.
 */
export function taggedUnion<T extends TObject[]>(
  tag: string,
  variants: [...T],
  options: { $id?: string; description?: string } = {},
): TUnsafe<Static<T[number]>> {
  return Type.Unsafe<Static<T[number]>>({
    ...options,
    type: 'object',
    discriminator: { propertyName: tag },
    required: [tag],
    oneOf: variants,
  });
}

/** Schema option: no keys besides the declared ones. */
export const noOtherKeys = { additionalProperties: false } as const;

const Text = (description: string) => Type.String({ pattern: '\\S', maxLength: 4096, description });

/** Where to read a secret from; given instead of the secret itself. */
export type SecretSource = { env: string } | { file: string } | { command: string[] };

/**
 * Returns the schema of a secret's source. It is not a union, because every error would be reported for all three
 * variants.
 */
export const secretSchema = (description: string): TUnsafe<SecretSource> =>
  Type.Unsafe<SecretSource>(
    Type.Object(
      {
        env: Type.Optional(Text('The environment variable that holds it.')),
        file: Type.Optional(Text('The file that holds it; ~ is your home.')),
        command: Type.Optional(
          Type.Array(Type.String({ maxLength: 4096 }), {
            minItems: 1,
            description: 'The command that prints it, one word per entry.',
          }),
        ),
      },
      { ...noOtherKeys, minProperties: 1, maxProperties: 1, description },
    ),
  );
