import { hash } from 'node:crypto'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { fieldError, notFound, validationFailed } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionReference } from './definition.ts'
import type { DefinitionIcon, DefinitionIconStore } from './definition-icon-store.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import { parseIcon } from './parse-icon.ts'
import { DefinitionParams, IntegrationDefinition, SetDefinitionIcon } from './schemas.ts'
import { serializeDefinition } from './serialize-definition.ts'

export interface SetDefinitionIconDeps extends FindDefinitionDeps {
  readonly database: Database
  readonly icons: DefinitionIconStore
  readonly baseUrl: () => string
  readonly now: () => number
}

export const setDefinitionIconOperation = defineOperation({
  id: 'setDefinitionIcon',
  sdk: 'definitions.setIcon',
  method: 'POST',
  path: '/v1/integration_definition/:integrationDefinitionId/icon',
  tag: 'Integration definitions',
  summary: 'Set the icon of an integration definition',
  description:
    'Sets or removes the icon of a definition in one workspace. A catalogue definition keeps its own icon in other workspaces, and gets it back when the icon is removed.',
  scope: 'definitions:write',
  params: DefinitionParams,
  body: SetDefinitionIcon,
  response: IntegrationDefinition,
  returns: 'The definition.',
  errors: ['integration_definition_not_found'],
  audit: 'definition.icon_changed',
  handle: (deps: SetDefinitionIconDeps, caller, { params, body }) =>
    setDefinitionIcon(deps, caller, params.integrationDefinitionId, body),
})

/**
 * Sets the icon of a definition in one workspace, or removes it. A definition of the catalogue keeps its own icon in all
 * other workspaces.
 *
 * @throws ApiError `validation_failed`, `integration_definition_not_found`
 */
export async function setDefinitionIcon(
  deps: SetDefinitionIconDeps,
  caller: Caller,
  reference: DefinitionReference,
  { icon: encodedIcon, workspaceId }: SetDefinitionIcon,
): Promise<IntegrationDefinition> {
  const icon = encodedIcon === null ? null : decodeIcon(encodedIcon)
  const filter = workspaceId == null ? {} : { workspaceId }
  const ids = await findDefinition(deps, caller, reference, filter)
  const { definitionId } = ids
  const now = deps.now()
  return deps.database.transaction(async (trx) => {
    if (icon === null) await deps.icons.remove(trx, ids)
    else await deps.icons.set(trx, ids, icon, now)
    const changed = await deps.definitions.findLive(trx, caller, ids.workspaceId, definitionId)
    if (changed === undefined) throw notFound('integration_definition')
    const response = serializeDefinition(changed, deps.baseUrl())
    await record(trx, caller, now, {
      action: 'definition.icon_changed',
      workspaceId: ids.workspaceId,
      subject: definitionId,
      detail: { icon: icon?.path ?? null },
      response,
    })
    return response
  })
}

const MAX_BYTES = 32 * 1024
const MIN_PIXELS = 16
const MAX_PIXELS = 512

function decodeIcon(text: string): DefinitionIcon {
  const content = Buffer.from(text, 'base64')
  if (content.toString('base64') !== text)
    throw createIconError('Must be base64 (RFC 4648, section 4).')
  if (content.length > MAX_BYTES) throw createIconError('Must have at most 32 kB.')
  const image = parseIcon(content)
  if (image === undefined) throw createIconError('Must be a PNG or WebP image without animation.')
  const { width, height } = image
  if (Math.min(width, height) < MIN_PIXELS || Math.max(width, height) > MAX_PIXELS)
    throw createIconError(`Must be ${MIN_PIXELS} to ${MAX_PIXELS} pixels wide and high.`)
  const path = `/icons/${hash('sha256', content)}.${image.extension}`
  return { path, mediaType: image.mediaType, content }
}

function createIconError(message: string) {
  return validationFailed(fieldError('icon', 'invalid', message))
}
