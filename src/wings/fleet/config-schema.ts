import { type Static, Type } from '@sinclair/typebox';
import { noOtherKeys, secretSchema } from '../../base/schema.js';

/** What a machine is told of its fleet: fleet.yaml of its user (fleet.md, Commands). Each description also says how to mend a value. */

const Name = (description: string) => Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$', description });
const count = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

export const FleetConfigSchema = Type.Object(
  {
    database: Type.Optional(
      secretSchema(
        'Where the URL of the database is found: one of env, file and command. It never stands in this file itself.',
      ),
    ),
    slots: Type.Optional(count(1, 32, 'Attempts that this machine works on at once, 1 to 32; 2.')),
    lease_seconds: Type.Optional(
      count(5, 600, 'Seconds without a beat after which others take over what this machine has, 5 to 600; 60.'),
    ),
    name: Type.Optional(
      Name('What this machine is called, of letters, digits, ".", "_" and "-", but not "auto"; its host name.'),
    ),
    projects: Type.Optional(
      Type.Array(
        Type.Object(
          {
            project: Name('The id of the project, as `fleet.project` of its .ai/config.yaml.'),
            remote_url: Type.String({ pattern: '^[^-\\s]', maxLength: 4096, description: 'Where git clones it from.' }),
            trust: Type.Optional(
              Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{15,127}$' }), {
                description: 'Digests of commands that may run here, as `fleet list` names them.',
              }),
            ),
          },
          noOtherKeys,
        ),
        { description: 'What this machine works for: [{project, remote_url, trust}].' },
      ),
    ),
  },
  {
    ...noOtherKeys,
    $id: 'fleet',
    description: 'What a machine does in a fleet: fleet.yaml in the user’s dev-cli directory.',
  },
);

/** The file as it is written. */
export type FleetConfigFile = Static<typeof FleetConfigSchema>;
