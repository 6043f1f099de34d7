import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type {
  DefinitionId,
  DefinitionReference,
} from '../../integrations/definitions/definition.ts'
import {
  type FindDefinitionDeps,
  findDefinition,
} from '../../integrations/definitions/find-definition.ts'
import { DefinitionParams } from '../../integrations/definitions/schemas.ts'
import {
  IdOf,
  KnownText,
  Nullable,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import {
  type DefinitionScope,
  type DefinitionTrust,
  MAX_HELD,
  readDefinitionTrust,
  recordTrusted,
  trustDefinition,
} from './health/definition-breaker-store.ts'

/** Whether rejections of a provider count in a workspace. */
export const DefinitionHealth = StrictObject(
  {
    integrationDefinitionId: IdOf<DefinitionId>({ description: 'Identifier of the definition.' }),
    state: KnownText<'trusted' | 'suspect'>(
      ['trusted', 'suspect'],
      'Whether rejections count. `suspect`: the provider rejects so many accounts that this is taken for an outage.',
    ),
    since: Nullable(Timestamp('Since when it is suspect; null if it is not.')),
    held: Type.Integer({
      description: `Accounts whose status is not decided: each is checked when rejections count again. At most ${MAX_HELD} are counted.`,
    }),
    pausedUntil: Nullable(
      Timestamp(
        'Until when the provider has asked for no checks (`Retry-After`); null if it has not.',
      ),
    ),
  },
  {
    $id: 'DefinitionHealth',
    description: 'Whether rejections of a provider count in a workspace.',
    examples: [
      {
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        state: 'suspect',
        since: '2026-11-22T12:04:00.000Z',
        held: 41,
        pausedUntil: null,
      },
    ],
  },
)
export type DefinitionHealth = Static<typeof DefinitionHealth>

const workspaceId = IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' })
const WorkspaceFilter = StrictObject({ workspaceId: Type.Optional(workspaceId) })

export const TrustDefinition = StrictObject(
  { workspaceId: OptionalField(workspaceId) },
  {
    $id: 'TrustDefinition',
    description: 'Believes the rejections of a provider again.',
    examples: [{}],
  },
)
type TrustDefinition = Static<typeof TrustDefinition>

export interface DefinitionHealthDeps extends FindDefinitionDeps {
  readonly database: Database
  readonly now: () => number
}

export const getDefinitionHealthOperation = defineOperation({
  id: 'getDefinitionHealth',
  sdk: 'definitions.getHealth',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId/health',
  tag: 'Integration definitions',
  summary: 'Get the health of an integration definition',
  description:
    'Whether rejections by its provider count. While it is suspect, they change the status of no account, and the proxy returns them unchanged.',
  scope: 'read',
  params: DefinitionParams,
  query: WorkspaceFilter,
  response: DefinitionHealth,
  returns: 'Its health in the workspace.',
  errors: ['integration_definition_not_found'],
  handle: (deps: DefinitionHealthDeps, caller, { params, query }) =>
    getDefinitionHealth(deps, caller, params.integrationDefinitionId, query),
})

/** Whether rejections of a provider count in a workspace (interface: Get definition health). @throws ApiError as `findDefinition` */
export async function getDefinitionHealth(
  deps: DefinitionHealthDeps,
  caller: Caller,
  reference: DefinitionReference,
  filter: Static<typeof WorkspaceFilter>,
): Promise<DefinitionHealth> {
  const scope = await findDefinition(deps, caller, reference, filter)
  return readHealth(deps, deps.database.read, scope)
}

async function readHealth(
  { now }: Pick<DefinitionHealthDeps, 'now'>,
  db: Database['read'],
  scope: DefinitionScope,
): Promise<DefinitionHealth> {
  const { definitionId, suspectSince, held, pausedUntil }: DefinitionTrust =
    await readDefinitionTrust(db, scope, now())
  return {
    integrationDefinitionId: definitionId,
    state: suspectSince === null ? 'trusted' : 'suspect',
    since: suspectSince === null ? null : toTimestamp(suspectSince),
    held,
    pausedUntil: pausedUntil === null ? null : toTimestamp(pausedUntil),
  }
}

export const trustDefinitionOperation = defineOperation({
  id: 'trustDefinition',
  sdk: 'definitions.trust',
  method: 'POST',
  path: '/v1/integration_definition/:integrationDefinitionId/trust',
  tag: 'Integration definitions',
  summary: 'Believe the rejections of a provider again',
  description:
    'For a suspect definition whose provider has really ended grants. Each held account is checked soon and decided alone. Changes nothing if the definition is not suspect.',
  scope: 'definitions:write',
  params: DefinitionParams,
  body: TrustDefinition,
  response: DefinitionHealth,
  returns: 'Its health in the workspace.',
  errors: ['integration_definition_not_found'],
  audit: 'definition.trusted',
  config: { optionalBody: true },
  handle: (deps: DefinitionHealthDeps, caller, { params, body }) =>
    trustDefinitionForPerson(deps, caller, params.integrationDefinitionId, body),
})

async function trustDefinitionForPerson(
  deps: DefinitionHealthDeps,
  caller: Caller,
  reference: DefinitionReference,
  input: TrustDefinition,
): Promise<DefinitionHealth> {
  const filter = input.workspaceId == null ? {} : { workspaceId: input.workspaceId }
  const { definitionId, workspaceId } = await findDefinition(deps, caller, reference, filter)
  const scope = { definitionId, workspaceId }
  const now = deps.now()
  return deps.database.transaction(async (trx) => {
    const isPublished = await trustDefinition(trx, scope, now)
    const response = await readHealth(deps, trx, scope)
    await recordTrusted(trx, caller, now, scope, { by: 'person', isPublished, response })
    return response
  })
}
