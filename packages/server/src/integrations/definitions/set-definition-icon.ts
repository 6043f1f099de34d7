import { hash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { ApiError, fieldError, notFound, validationFailed } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionIcon, DefinitionIconStore } from './bundle-store.ts'
import type { DefinitionReference } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import {
  DefinitionParams,
  IntegrationDefinition,
  SetDefinitionIcon,
  serializeDefinition,
} from './schemas.ts'

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

/** An image that pages may show. */
interface IconImage {
  readonly mediaType: 'image/png' | 'image/webp'
  readonly extension: 'png' | 'webp'
  readonly width: number
  readonly height: number
}

/**
 * Reads the type and the size of a still image from its bytes. Only PNG and WebP, which cannot contain scripts; the
 * structure must end with the bytes, so that nothing else is appended.
 *
 * @returns undefined for anything else, and for animations
 */
export function parseIcon(bytes: Uint8Array): IconImage | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return parsePng(buffer) ?? parseWebp(buffer)
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The length, type and checksum around the content of a chunk. */
const PNG_CHUNK_FRAME = 12

/** PNG, third edition, section 5. */
function parsePng(buffer: Buffer): IconImage | undefined {
  if (!buffer.subarray(0, 8).equals(PNG_SIGNATURE) || buffer.length < 33) return undefined
  if (buffer.readUInt32BE(8) !== 13 || readType(buffer, 12) !== 'IHDR') return undefined
  let position = 8
  let type = ''
  while (position + PNG_CHUNK_FRAME <= buffer.length && type !== 'IEND') {
    type = readType(buffer, position + 4)
    if (type === 'acTL') return undefined
    position += buffer.readUInt32BE(position) + PNG_CHUNK_FRAME
  }
  if (type !== 'IEND' || position !== buffer.length) return undefined
  const [width, height] = [buffer.readUInt32BE(16), buffer.readUInt32BE(20)]
  return { mediaType: 'image/png', extension: 'png', width, height }
}

/** RFC 9649, section 2. */
function parseWebp(buffer: Buffer): IconImage | undefined {
  if (buffer.length < 30 || readType(buffer, 0) !== 'RIFF' || readType(buffer, 8) !== 'WEBP')
    return undefined
  if (buffer.readUInt32LE(4) + 8 !== buffer.length) return undefined
  const size = readWebpSize(buffer)
  return size && { mediaType: 'image/webp', extension: 'webp', ...size }
}

function readWebpSize(buffer: Buffer): Pick<IconImage, 'width' | 'height'> | undefined {
  const type = readType(buffer, 12)
  if (type === 'VP8 ' && buffer.readUIntBE(23, 3) === 0x9d012a)
    return { width: buffer.readUInt16LE(26) & 0x3fff, height: buffer.readUInt16LE(28) & 0x3fff }
  if (type === 'VP8L' && buffer[20] === 0x2f) {
    const bits = buffer.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const isAnimated = ((buffer[20] ?? 0) & 0x02) !== 0
  if (type === 'VP8X' && !isAnimated)
    return { width: buffer.readUIntLE(24, 3) + 1, height: buffer.readUIntLE(27, 3) + 1 }
  return undefined
}

function readType(buffer: Buffer, position: number): string {
  return buffer.toString('latin1', position, position + 4)
}

/** `GET /icons/{hash}.{png|webp}`, public: the icons that workspaces have set. The bytes at a URL never change. */
export function iconRoute({ icons }: { readonly icons: DefinitionIconStore }): FastifyPluginAsync {
  return async (app) => {
    app.get('/icons/:file', { schema: { hide: true } }, async (request, reply) => {
      const { file } = request.params as { file: string }
      const icon = /^[0-9a-f]{64}\.(?:png|webp)$/.test(file)
        ? await icons.find(`/icons/${file}`)
        : undefined
      if (icon === undefined) throw new ApiError('route_not_found', 'This URL does not exist.')
      return reply
        .type(icon.mediaType)
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(Buffer.from(icon.content))
    })
  }
}
