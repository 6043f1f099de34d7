import Type, { type Static } from 'typebox'
import type { SettingState } from '../../platform/config/config.ts'
import { isLoopbackHost } from '../../platform/config/url.ts'
import { KnownText, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type Caller, requireAdmin } from '../auth/caller.ts'
import { defineOperation } from '../operations/define-operation.ts'
import type { InstanceStore, KeyUse } from './instance-store.ts'

export interface GetInstanceDeps {
  readonly database: Pick<Database, 'dialect' | 'measureSize' | 'hasSpace'>
  readonly vault: Pick<Vault, 'encryptionKeyId'>
  readonly instance: InstanceStore
  readonly readBuild: () => { readonly version: string; readonly commit: string }
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly settings?: readonly SettingState[] | undefined
  readonly baseUrl: () => string
}

const text = (description: string) => Type.String({ description })

const InstanceInfo = StrictObject(
  {
    version: text('The version that runs.'),
    commit: text('Its commit; `unknown` outside of releases and clones.'),
    startedAt: Timestamp('When the node that responds was started.'),
    database: StrictObject(
      {
        kind: KnownText<string>(['sqlite', 'postgresql'], 'Which one.'),
        bytes: Type.Integer({ minimum: 0, description: 'Its size, at most a minute old.' }),
      },
      { description: 'The database.' },
    ),
    migrations: Type.Array(
      StrictObject({
        name: text('Its name.'),
        appliedAt: Timestamp('When it ran.'),
      }),
      { description: 'The migrations that the database has, oldest first.' },
    ),
    keys: Type.Array(
      StrictObject({
        keyId: text('Identifier of a key of the key ring.'),
        isFirst: Type.Boolean({ description: 'Whether it wraps what is sealed from now on.' }),
        workspaces: Type.Integer({
          minimum: 0,
          description: 'How many workspaces have a data key that it wraps.',
        }),
      }),
      { description: 'The keys in use. Never a value.' },
    ),
    warnings: Type.Array(
      StrictObject({
        code: KnownText<string>(
          ['public_url_local', 'storage_full', 'keys_outdated'],
          'What is wrong.',
        ),
        message: text('What it means, and what to do.'),
      }),
      { description: 'What an administrator has to change.' },
    ),
    settings: Type.Array(
      StrictObject({
        name: text('The variable.'),
        isSet: Type.Boolean({ description: 'Whether it has a value, or a file with one.' }),
      }),
      { description: 'The settings, without values.' },
    ),
  },
  {
    $id: 'InstanceInfo',
    description: 'The service itself, as the node that responds sees it.',
    examples: [
      {
        version: '0.1.0',
        commit: '38d70a5c1d5b0f4f8c3b1e1f2a3d4c5b6a798081',
        startedAt: '2026-11-22T10:00:00.000Z',
        database: { kind: 'sqlite', bytes: 4_194_304 },
        migrations: [{ name: '0001-initial', appliedAt: '2026-11-22T09:00:00.000Z' }],
        keys: [{ keyId: 'k1', isFirst: true, workspaces: 2 }],
        warnings: [
          {
            code: 'public_url_local',
            message: 'Only browsers on this machine reach the pages. Set LINCHPIN_PUBLIC_URL.',
          },
        ],
        settings: [{ name: 'LINCHPIN_PUBLIC_URL', isSet: false }],
      },
    ],
  },
)
type InstanceInfo = Static<typeof InstanceInfo>

export const getInstanceOperation = defineOperation({
  id: 'getInstance',
  sdk: 'instance.get',
  method: 'GET',
  path: '/v1/instance',
  tag: 'Instance',
  summary: 'Get the instance',
  description:
    'For administrators of this instance, with a token that is bound to no workspace: version, database, keys, settings, never a value.',
  scope: 'admin',
  response: InstanceInfo,
  returns: 'The instance.',
  errors: [],
  handle: (deps: GetInstanceDeps, caller) => getInstance(deps, caller),
})

/**
 * What an administrator has to know of the service (interface: Get instance). Nodes do not know one another, so it is that of the
 * node that responds.
 *
 * @throws ApiError `insufficient_scope`
 */
export async function getInstance(deps: GetInstanceDeps, caller: Caller): Promise<InstanceInfo> {
  requireAdmin(caller)
  const { database, instance, vault, readBuild, settings = [] } = deps
  const [{ databaseBytes }, migrations, keys] = await Promise.all([
    database.measureSize(),
    instance.listMigrations(),
    instance.listKeyUse(),
  ])
  return {
    ...readBuild(),
    startedAt: toTimestamp(deps.startedAt),
    database: {
      kind: database.dialect === 'postgres' ? 'postgresql' : 'sqlite',
      bytes: databaseBytes,
    },
    migrations,
    keys: listKeys(keys, vault.encryptionKeyId),
    warnings: await listWarnings(deps, keys),
    settings: settings.map(({ name, isSet }) => ({ name, isSet })),
  }
}

/** The first key, also while no workspace uses it, and all others in use. */
function listKeys(used: readonly KeyUse[], firstId: string): InstanceInfo['keys'] {
  const first = used.find(({ keyId }) => keyId === firstId) ?? { keyId: firstId, workspaces: 0 }
  const others = used.filter(({ keyId }) => keyId !== firstId)
  return [{ ...first, isFirst: true }, ...others.map((key) => ({ ...key, isFirst: false }))]
}

async function listWarnings(
  { database, vault, baseUrl }: GetInstanceDeps,
  keys: readonly KeyUse[],
): Promise<InstanceInfo['warnings']> {
  const warnings: InstanceInfo['warnings'] = []
  if (isLoopbackHost(new URL(baseUrl()).hostname))
    warnings.push({
      code: 'public_url_local',
      message: 'Only browsers on this machine reach the pages. Set LINCHPIN_PUBLIC_URL.',
    })
  if (!(await database.hasSpace()))
    warnings.push({
      code: 'storage_full',
      message: 'The database has no space: writes fail. Free some on its disk.',
    })
  if (keys.some(({ keyId }) => keyId !== vault.encryptionKeyId))
    warnings.push({
      code: 'keys_outdated',
      message:
        'Some data keys are wrapped by another key than the first one: run `linchpin keys rotate`.',
    })
  return warnings
}
