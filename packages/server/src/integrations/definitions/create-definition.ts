import { hash } from 'node:crypto'
import type { Runner } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type { LargeBodies } from '../../access/auth/large-bodies.ts'
import { DOWNLOAD_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'

import { ApiError, fieldError, validationFailed } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { BundleStore } from './bundle-store.ts'
import { createCustomCategory, isCategory, parseCategory } from './category.ts'
import type { Definition, DefinitionId } from './definition.ts'
import type { DefinitionStore } from './definition-store.ts'
import {
  BUNDLE_BODY_LIMIT,
  BUNDLE_MEMBER,
  getBundleFieldName,
  type LoadBundleDeps,
  loadBundle,
} from './load-bundle.ts'
import { CreateDefinition, IntegrationDefinition, serializeDefinition } from './schemas.ts'
import { getSpecVersion, loadSpec } from './spec/validate-spec.ts'

export interface CreateDefinitionDeps extends LoadBundleDeps {
  readonly database: Database
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly bundles: BundleStore
  readonly runner: Runner
  readonly baseUrl: () => string
  readonly now: () => number
}

interface UploadDefinitionDeps extends CreateDefinitionDeps {
  readonly largeBodies: LargeBodies
}

export const createDefinitionOperation = defineOperation({
  id: 'createDefinition',
  sdk: 'definitions.create',
  method: 'POST',
  path: '/v1/integration_definition',
  tag: 'Integration definitions',
  summary: 'Create a custom integration definition',
  description:
    'Downloads the bundle from `sourceUrl`, takes the one in `bundle`, or makes one of the data in `entry`, runs it to get its spec, and stores both. Only the stored bytes are ever executed.',
  scope: 'definitions:write',
  body: CreateDefinition,
  status: 201,
  response: IntegrationDefinition,
  returns: 'The definition.',
  errors: ['already_exists', ...DOWNLOAD_ERRORS],
  audit: 'definition.created',
  config: { rate: 'bundle', longMember: BUNDLE_MEMBER },
  route: ({ largeBodies }: UploadDefinitionDeps) => ({
    bodyLimit: BUNDLE_BODY_LIMIT,
    preParsing: largeBodies.admitRequest,
  }),
  handle: (deps: UploadDefinitionDeps, caller, { body }) => createDefinition(deps, caller, body),
})

/**
 * Creates a custom definition: downloads the bundle or takes it from the request, runs SPEC in the sandbox, validates the spec, and stores both. Only
 * the stored bytes are ever executed (interface: Create integration definition).
 *
 * @param completeSpec adds what the bundle's own spec lacks
 * @throws ApiError 400 that names the failed step; `already_exists` if the key is taken
 */
export async function createDefinition(
  deps: CreateDefinitionDeps,
  caller: Caller,
  input: CreateDefinition,
  completeSpec?: (spec: unknown) => unknown,
): Promise<IntegrationDefinition> {
  const type = parseCategory('integrationType', input.integrationType, createCustomCategory)
  if (!isCategory(type)) throw validationFailed(type)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const defaults = { name: input.name, version: '1.0.0' }
  const { code, sourceUrl } = await loadBundle(deps, input, { workspaceId }, defaults)
  const sha256 = hash('sha256', code)
  const { spec, json } = await loadSpec(
    deps.runner,
    sha256,
    code,
    { workspaceId },
    getBundleFieldName(input),
    completeSpec,
  )
  const now = deps.now()
  const definitionId = newId('def', now)
  const definition: Omit<Definition, 'spec'> = {
    definitionId,
    workspaceId,
    key: deriveDefinitionKey(input.name, definitionId),
    name: input.name,
    icon: '',
    version: getSpecVersion(spec) ?? '0.0.1',
    releaseStage: 'CUSTOM',
    typeKey: type.key,
    typeName: type.name,
    sourceUrl,
    bundleSha256: sha256,
    specJson: json,
    latestVersion: null,
    latestSourceUrl: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
  return insertDefinition(deps, caller, definition, code)
}

async function insertDefinition(
  deps: CreateDefinitionDeps,
  caller: Caller,
  definition: Omit<Definition, 'spec'>,
  code: Uint8Array,
): Promise<IntegrationDefinition> {
  const { bundleSha256: sha256, createdAt: now } = definition
  const response = serializeDefinition(definition, deps.baseUrl())
  await deps.database
    .transaction(async (trx) => {
      await deps.bundles.save(trx, sha256, code, now)
      await deps.definitions.insert(trx, definition)
      await record(trx, caller, now, {
        action: 'definition.created',
        workspaceId: definition.workspaceId,
        subject: definition.definitionId,
        detail: { sha256 },
        event: {
          type: 'definition.created',
          subject: definition.definitionId,
          data: { definition: response },
        },
        response,
      })
    })
    .catch(rethrowKeyConflict)
  return response
}

/** The key of a custom definition. */
export function deriveDefinitionKey(name: string, definitionId: DefinitionId): string {
  const asciiName = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  if (!/[a-z]/.test(asciiName)) return `custom_${definitionId.slice(-8)}`
  return (asciiName.match(/[a-z0-9]+/g) ?? []).join('_')
}

function rethrowKeyConflict(error: unknown): never {
  if (error instanceof StorageError && error.kind === 'unique')
    throw new ApiError(
      'already_exists',
      'This workspace already has a definition with this name.',
      {
        errors: fieldError('name', 'taken', 'Already used by another definition.'),
      },
    )
  throw error
}
