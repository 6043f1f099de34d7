import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../platform/errors.ts'
import {
  createTooManyFieldsError,
  getForm,
  MAX_FORM_FIELDS,
} from '../platform/http/browser-request.ts'

/** Accepts forms with files. Their bodies are parsed by `readForm`. */
export function acceptFileForms(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
}

/**
 * The form of a request. The value of a file is its content in base64, as the API takes it; a field without a file is left out.
 *
 * @throws ApiError `malformed_request`
 */
export async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const { body, headers } = request
  if (!Buffer.isBuffer(body)) return getForm(request)
  const form = new URLSearchParams()
  for (const [name, value] of await parse(body, headers['content-type'] ?? ''))
    if (typeof value === 'string') form.append(name, value)
    else if (value.size > 0)
      form.append(name, Buffer.from(await value.arrayBuffer()).toString('base64'))
  return form
}

async function parse(body: Buffer, type: string): Promise<FormData> {
  const [, boundary] = FILE_FORM.exec(type) ?? []
  if (boundary === undefined) throw createMalformedError()
  if (countParts(body, boundary) > MAX_FORM_FIELDS) throw createTooManyFieldsError()
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData()
  } catch {
    throw createMalformedError()
  }
}

function createMalformedError(): ApiError {
  return new ApiError('malformed_request', 'The form must be valid multipart/form-data.')
}

/** As browsers send it: of several parameters, the parser could use another one than is counted. */
const FILE_FORM = /^multipart\/form-data; *boundary="?([\w'()+,./:=?-]{1,70})"?$/i

/** Cheaper than parsing: up to one more than are allowed. */
function countParts(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`
  let count = 0
  for (
    let at = body.indexOf(delimiter);
    at !== -1 && count <= MAX_FORM_FIELDS;
    at = body.indexOf(delimiter, at + delimiter.length)
  )
    count++
  return count
}
