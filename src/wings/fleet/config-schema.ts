import { type Static, Type } from '@sinclair/typebox';
import { noOtherKeys, secretSchema } from '../../base/schema.js';

/**
 * A machine's configuration of its fleet: the user's fleet.yaml (fleet.md, Commands). Each description also says how to
 * correct a value.
 */

const Name = (description: string) => Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$', description });
const count = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

export const FleetConfigSchema = Type.Object(
  {
    database: Type.Optional(
      secretSchema(
        'Where to find the URL of the database: one of env, file and command. This file never contains the URL itself.',
      ),
    ),
    slots: Type.Optional(count(1, 32, 'Attempts that this machine works on at once, 1 to 32; 2.')),
    lease_seconds: Type.Optional(
      count(5, 600, 'Seconds without a heartbeat after which others take over this machine’s attempts, 5 to 600; 60.'),
    ),
    name: Type.Optional(
      Name('The name of this machine, of letters, digits, ".", "_" and "-", but not "auto"; made from its host name.'),
    ),
    projects: Type.Optional(
      Type.Array(
        Type.Object(
          {
            project: Name('The id of the project, as `fleet.project` of its .ai/config.yaml.'),
            remote_url: Type.String({ pattern: '^[^-\\s]', maxLength: 4096, description: 'Where git clones it from.' }),
            trust: Type.Optional(
              Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{15,127}$' }), {
                description: 'Digests of the commands that may run here, as `fleet list` shows them.',
              }),
            ),
          },
          noOtherKeys,
        ),
        { description: 'The projects that this machine works for: [{project, remote_url, trust}].' },
      ),
    ),
  },
  {
    ...noOtherKeys,
    $id: 'fleet',
    description: 'The configuration of a machine in a fleet: fleet.yaml in the user’s dev-cli directory.',
  },
);

/** The content of fleet.yaml. */
export type FleetConfigFile = Static<typeof FleetConfigSchema>;
