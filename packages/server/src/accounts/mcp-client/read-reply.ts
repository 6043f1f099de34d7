import { EgressError, type EgressStream, getHeader } from '@linchpin/runner'
import { createMcpServerInvalidError } from '../../integrations/oauth/discovery/discover-server.ts'
import { ApiError } from '../../platform/errors.ts'
import { scanJson } from '../../platform/http/json-body.ts'
import { isDeeper, isJsonObject, type JsonObject, parseJson } from '../../platform/json.ts'

/** What an MCP server has sent back: the JSON-RPC response to a request, if there is one. */
export interface Reply {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly message: JsonObject | undefined
  /** Of the body, as far as it was read. */
  readonly bytes: number
}

/** The requests that Linchpin sends to MCP servers, which its errors name. */
export type McpMethod = 'initialize' | 'notifications/initialized' | 'tools/list' | 'tools/call'

/**
 * Reads the response to a request with this ID: a JSON object, or a stream of events (HTML, "Server-sent events") up to the one that
 * answers it. Other messages of a stream are notifications and requests, which nothing answers.
 *
 * @throws ApiError `mcp_server_invalid`, `provider_timeout`, `provider_error`
 */
export async function readReply(
  method: McpMethod,
  id: number,
  { status, rawHeaders, body }: EgressStream,
): Promise<Reply> {
  const [mediaType = ''] = (getHeader(rawHeaders, 'content-type') ?? '').toLowerCase().split(';', 1)
  const isStream = mediaType.trim() === 'text/event-stream'
  const isReadable = isStream || /^application\/(?:[\w.-]+\+)?json$/.test(mediaType.trim())
  const encoding = getHeader(rawHeaders, 'content-encoding') ?? 'identity'
  let bytes = 0
  const chunks = countChunks(body, (length) => {
    bytes += length
  })
  try {
    if (!isReadable) return { status, rawHeaders, message: undefined, bytes }
    if (encoding.toLowerCase() !== 'identity')
      throw createMcpServerInvalidError(method, 'The response is compressed, unasked.')
    const parse = (text: string) => parseMessage(method, text, id)
    const message = await (isStream
      ? readEvents(method, chunks, parse)
      : readText(chunks).then(parse))
    return { status, rawHeaders, message, bytes }
  } catch (error) {
    throw error instanceof EgressError ? toReadError(method, error) : error
  } finally {
    // A stream need not end after the response.
    body.destroy()
  }
}

/** What went wrong while a response was sent. */
export function toReadError(method: McpMethod, error: EgressError): ApiError {
  if (error.code === 'too_large')
    return createMcpServerInvalidError(method, 'The response is larger than 1 MB.', error)
  if (error.code === 'timeout')
    return new ApiError(
      'provider_timeout',
      `The MCP server did not complete its response to ${method} in time.`,
      { cause: error },
    )
  return new ApiError(
    'provider_error',
    `The connection to the MCP server failed before its response to ${method} was complete.`,
    { cause: error },
  )
}

type Chunks = AsyncIterable<Uint8Array>

async function* countChunks(body: Chunks, count: (length: number) => void): Chunks {
  for await (const chunk of body) {
    count(chunk.length)
    yield chunk
  }
}

async function readText(chunks: Chunks): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

/** More would overflow the stack of what walks through it. */
const MAX_DEPTH = 200

/** @throws ApiError `mcp_server_invalid`: more than 100,000 values, or nested too deeply */
function parseMessage(method: McpMethod, text: string, id: number): JsonObject | undefined {
  assertFewValues(method, text)
  const message = parseJson(text)
  if (!isJsonObject(message) || message.jsonrpc !== '2.0') return undefined
  if (isDeeper(message, MAX_DEPTH))
    throw createMcpServerInvalidError(
      method,
      `The response is nested more than ${MAX_DEPTH} times.`,
    )
  // What could not be parsed has no ID to return (JSON-RPC 2.0 section 5).
  const isAnswer = message.id === id || (message.id == null && message.error !== undefined)
  return isAnswer && ('result' in message || 'error' in message) ? message : undefined
}

function assertFewValues(method: McpMethod, text: string): void {
  try {
    scanJson(Buffer.from(text))
  } catch (error) {
    const problem = 'The response has more than 100,000 JSON values.'
    throw createMcpServerInvalidError(method, problem, error)
  }
}

/** Far more than any tool tells of its progress; each is parsed. */
const MAX_EVENTS = 10_000

async function readEvents(
  method: McpMethod,
  chunks: Chunks,
  parse: (text: string) => JsonObject | undefined,
): Promise<JsonObject | undefined> {
  let data: string[] = []
  let count = 0
  for await (const line of readLines(chunks)) {
    if (line !== '') {
      const [, value] = /^data(?:: ?(.*))?$/s.exec(line) ?? []
      if (value !== undefined) data.push(value)
      continue
    }
    if (data.length === 0) continue
    const message = parse(data.join('\n'))
    if (message !== undefined) return message
    data = []
    count += 1
    if (count === MAX_EVENTS)
      throw createMcpServerInvalidError(
        method,
        `The response has more than ${MAX_EVENTS / 1_000},000 events.`,
      )
  }
  return undefined
}

/** The lines of a text in UTF-8, which end with LF, CR or both. */
async function* readLines(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let endsWithReturn = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (endsWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text === '') continue
    endsWithReturn = text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    parts.push(first)
    for (const other of others) {
      yield parts.join('')
      parts = [other]
    }
  }
}
