import type { InputSpecification, Spec } from '@linchpin/runner'
import Type from 'typebox'
import type { Caller } from '../../../access/auth/caller.ts'
import type { LargeBodies } from '../../../access/auth/large-bodies.ts'
import { DOWNLOAD_ERRORS, defineOperation } from '../../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type {
  Definition,
  DefinitionReference,
} from '../../../integrations/definitions/definition.ts'
import type { FindDefinitionDeps } from '../../../integrations/definitions/find-definition.ts'
import { BUNDLE_BODY_LIMIT, BUNDLE_MEMBER } from '../../../integrations/definitions/load-bundle.ts'
import { DefinitionParams, serializeDefinition } from '../../../integrations/definitions/schemas.ts'
import { withSpec } from '../../../integrations/definitions/visible-definitions-store.ts'
import { listAuthUrls } from '../../../integrations/oauth/spec/endpoint-templates.ts'
import { ApiError, notFound } from '../../../platform/errors.ts'
import type { ContinuedTasks } from '../../../platform/http/drain.ts'
import { IdOf, StrictObject } from '../../../platform/http/schema.ts'
import { record } from '../../../platform/record/record-store.ts'
import { isId, newId } from '../../../platform/storage/id.ts'
import { countMissingScopes } from '../count-missing-scopes.ts'
import { loadTargetVersion, type TargetVersion } from '../load-target-version.ts'
import {
  DefinitionPreview,
  PreviewDefinitionRequest,
  type PreviewField,
  type PreviewId,
} from '../schemas.ts'
import { assertMayChangeCode } from '../set-version.ts'
import { findUpgradable, type UpgradeDefinitionDeps } from '../upgrade-definition.ts'
import type { PreviewStore, StoredPreview } from './preview-store.ts'
import { HEARTBEAT_TIMEOUT_MS, type RunPreviewDeps, runPreview } from './run-preview.ts'

export interface PreviewDefinitionDeps extends UpgradeDefinitionDeps, RunPreviewDeps {
  readonly previewTasks: ContinuedTasks
}

interface PreviewDefinitionOperationDeps extends PreviewDefinitionDeps {
  readonly largeBodies: LargeBodies
}

export const previewDefinitionOperation = defineOperation({
  id: 'previewDefinition',
  sdk: 'definitions.preview',
  method: 'POST',
  path: '/v1/integration_definition/:integrationDefinitionId/preview',
  tag: 'Integration definitions',
  summary: 'Preview an upgrade',
  description:
    'Compares the specs and runs the check of the new version with the stored credentials. Changes and refreshes nothing. While `state` is `running`, the checks continue in the background: get the preview again.',
  scope: 'definitions:write',
  params: DefinitionParams,
  body: PreviewDefinitionRequest,
  response: DefinitionPreview,
  returns: 'The current state of the preview.',
  errors: [
    'integration_definition_not_found',
    'unknown_reference',
    'bundle_changed',
    ...DOWNLOAD_ERRORS,
    'preview_running',
  ],
  audit: 'definition.previewed',
  config: { optionalBody: true, rate: 'bundle', longMember: BUNDLE_MEMBER },
  route: ({ largeBodies }: PreviewDefinitionOperationDeps) => ({
    bodyLimit: BUNDLE_BODY_LIMIT,
    preParsing: largeBodies.admitRequest,
  }),
  handle: (deps: PreviewDefinitionOperationDeps, caller, { params, body }) =>
    previewDefinition(deps, caller, params.integrationDefinitionId, body),
})

/** How long a preview is stored, in milliseconds. */
const RETENTION_MS = 3_600_000
/** How long the response waits for account checks, in milliseconds. */
const RESPONSE_WAIT_MS = 8_000

/**
 * Previews an upgrade without changing anything: how the spec differs, and how many accounts of the workspace would stop
 * working. If the checks take longer than a few seconds, they continue in the background.
 *
 * @throws ApiError those of loadTargetVersion; `integration_definition_not_found`, `preview_running`
 */
export async function previewDefinition(
  deps: PreviewDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
  input: PreviewDefinitionRequest,
): Promise<DefinitionPreview> {
  const before = await findUpgradable(deps, caller, reference, input)
  const target = await loadTargetVersion(deps, caller, before, input)
  const { code, isOverride, specJson, ...version } = target
  const after = withSpec({ ...before, ...version }, specJson)
  const now = deps.now()
  const missingScopes = await countMissingScopes(deps, caller, after)
  const preview = {
    ...createEmptyPreview(newId('pvw', now), before, after, deps.baseUrl()),
    missingScopes,
  }
  const stored: StoredPreview = {
    preview,
    bundleSha256: after.bundleSha256,
    aliveUntil: now + HEARTBEAT_TIMEOUT_MS,
  }
  const running = await insertUnlessRunning(deps, caller, before, stored, target, now)
  if (running !== undefined) return reuseRunningPreview(running, after)
  const { signal } = deps.previewTasks
  await deps.previewTasks.waitAtMost(
    runPreview(deps, { preview, before, after, signal }),
    RESPONSE_WAIT_MS,
  )
  return structuredClone(preview)
}

/** Stores the preview and its bundle, unless a preview of the definition is running; returns the running one. */
function insertUnlessRunning(
  deps: PreviewDefinitionDeps,
  caller: Caller,
  definition: Definition,
  stored: StoredPreview,
  target: TargetVersion,
  now: number,
): Promise<StoredPreview | undefined> {
  return deps.database.transaction(
    async (trx) => {
      const running = await deps.previews.findRunning(trx, definition, now)
      if (running !== undefined) return running
      // Accounts may have been created during the download.
      await assertMayChangeCode(trx, caller, definition, target, now)
      // The sandbox runs stored bytes only.
      await deps.bundles.save(trx, stored.bundleSha256, target.code, now)
      await deps.previews.insert(trx, definition, stored, { now, expiresAt: now + RETENTION_MS })
      await record(trx, caller, now, {
        action: 'definition.previewed',
        workspaceId: definition.workspaceId,
        subject: definition.definitionId,
        detail: { from: definition.version, to: target.version, sha256: stored.bundleSha256 },
        // Replaced by the result, unless this process dies first.
        response: stored.preview,
      })
      return undefined
    },
    { serializable: true },
  )
}

function reuseRunningPreview(
  { preview, bundleSha256 }: StoredPreview,
  after: Definition,
): DefinitionPreview {
  if (bundleSha256 === after.bundleSha256) return preview
  throw new ApiError(
    'preview_running',
    'A preview of another version of this definition is running. Try again after it has finished.',
  )
}

function createEmptyPreview(
  previewId: PreviewId,
  before: Definition,
  after: Definition,
  baseUrl: string,
): DefinitionPreview {
  const toVersionReference = (definition: Definition) => ({
    version: definition.version,
    sourceUrl: serializeDefinition(definition, baseUrl).sourceUrl,
  })
  const zeroCounts = { checked: 0, ok: 0, wouldBreak: 0, alreadyBroken: 0, unreachable: 0 }
  return {
    previewId,
    state: 'running',
    from: toVersionReference(before),
    to: toVersionReference(after),
    ...compareSpecs(before.spec, after.spec),
    missingScopes: {},
    accounts: { total: 0, ...zeroCounts, pending: 0, broken: [] },
  }
}

/** The differences between two specs. */
export function compareSpecs(
  before: Spec,
  after: Spec,
): Pick<DefinitionPreview, 'fields' | 'scopes' | 'hosts' | 'authTypes'> {
  const commonAuthTypes = [null, ...Object.keys(after.auth_specification)].filter(
    (authType) => authType === null || Object.hasOwn(before.auth_specification, authType),
  )
  const pairs = commonAuthTypes.map(
    (authType) =>
      [
        authType,
        getInputSpecification(before, authType),
        getInputSpecification(after, authType),
      ] as const,
  )
  const selectFields = (
    predicate: (name: string, previous: InputSpecification, now: InputSpecification) => boolean,
  ) =>
    pairs.flatMap(([authType, previous = {}, now = {}]): PreviewField[] =>
      listFieldNames(previous, now)
        .filter((name) => predicate(name, previous, now))
        .map((name) => ({ authType, name })),
    )
  return {
    fields: {
      added: selectFields(
        (name, previous, now) => !hasField(previous, name) && hasField(now, name),
      ),
      removed: selectFields(
        (name, previous, now) => hasField(previous, name) && !hasField(now, name),
      ),
      changed: selectFields(
        (name, previous, now) =>
          hasField(previous, name) && hasField(now, name) && isFieldChanged(name, previous, now),
      ),
      nowRequired: selectFields(
        (name, previous, now) =>
          Boolean(now.required?.includes(name)) && !previous.required?.includes(name),
      ),
    },
    scopes: compareLists(getDefaultScopes(before), getDefaultScopes(after)),
    hosts: compareLists(listReachableHosts(before), listReachableHosts(after)),
    authTypes: compareLists(
      Object.keys(before.auth_specification),
      Object.keys(after.auth_specification),
    ),
  }
}

function getInputSpecification(
  spec: Spec,
  authType: string | null,
): InputSpecification | undefined {
  return authType === null
    ? spec.other_inputs?.input_specification
    : spec.auth_specification[authType]?.input_specification
}

function listFieldNames(...inputs: readonly InputSpecification[]): string[] {
  return [...new Set(inputs.flatMap(({ properties }) => Object.keys(properties ?? {})))].toSorted()
}

function hasField({ properties }: InputSpecification, name: string): boolean {
  return Object.hasOwn(properties ?? {}, name)
}

function isFieldChanged(
  name: string,
  previous: InputSpecification,
  now: InputSpecification,
): boolean {
  return JSON.stringify(previous.properties?.[name]) !== JSON.stringify(now.properties?.[name])
}

function getDefaultScopes({ auth_specification: types }: Spec): string[] {
  return [...new Set(Object.values(types).flatMap((type) => type.default_scopes ?? []))]
}

/** The hosts that the bundle may call, and those to which Linchpin sends users, credentials and requests. */
function listReachableHosts(spec: Spec): string[] {
  const types = Object.values(spec.auth_specification)
  const urls = [
    spec.api_base_url,
    ...types.flatMap((type) => [type.api_base_url, ...listAuthUrls(type)]),
  ]
  const urlHosts = urls.flatMap((url) => /^https?:\/\/([^/?#:]+)/i.exec(String(url))?.[1] ?? [])
  const allowedHosts = spec['x-hosts'] ?? ['*']
  return [...new Set([...allowedHosts, ...urlHosts.map((host) => host.toLowerCase())])]
}

function compareLists(before: readonly string[], after: readonly string[]) {
  const previous = new Set(before)
  const now = new Set(after)
  return {
    added: after.filter((each) => !previous.has(each)),
    removed: before.filter((each) => !now.has(each)),
  }
}

export interface GetDefinitionPreviewDeps extends FindDefinitionDeps {
  readonly previews: PreviewStore
  readonly now: () => number
}

export const getDefinitionPreviewOperation = defineOperation({
  id: 'getDefinitionPreview',
  sdk: 'definitions.getPreview',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId/preview/:previewId',
  tag: 'Integration definitions',
  summary: 'Get a preview of an upgrade',
  description: 'Previews are stored for an hour.',
  scope: 'read',
  params: Type.Object({
    ...DefinitionParams.properties,
    previewId: IdOf<PreviewId>({ description: 'ID of the preview.' }),
  }),
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  }),
  response: DefinitionPreview,
  returns: 'The current state of the preview.',
  errors: ['integration_definition_not_found', 'preview_not_found'],
  handle: (deps: GetDefinitionPreviewDeps, caller, { params, query }) =>
    getDefinitionPreview(deps, caller, params.integrationDefinitionId, params.previewId, query),
})

/** Returns the current state of a preview. @throws ApiError `preview_not_found` and those of findUpgradable */
export async function getDefinitionPreview(
  deps: GetDefinitionPreviewDeps,
  caller: Caller,
  reference: DefinitionReference,
  previewId: PreviewId,
  query: { readonly workspaceId?: WorkspaceId },
): Promise<DefinitionPreview> {
  const definition = await findUpgradable(deps, caller, reference, query)
  const now = deps.now()
  const stored = isId('pvw', previewId)
    ? await deps.previews.find(definition, previewId, now)
    : undefined
  if (stored === undefined) throw notFound('preview')
  const { preview, aliveUntil } = stored
  // The node that ran it is gone, so the remaining accounts will not be checked.
  const isOrphaned = preview.state === 'running' && aliveUntil <= now
  return isOrphaned ? { ...preview, state: 'interrupted' } : preview
}
