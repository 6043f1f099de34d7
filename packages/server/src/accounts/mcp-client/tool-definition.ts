import { fieldError, validationFailed } from '../../platform/errors.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { hashText } from './mcp-tool.ts'

/** What is pinned of a tool: all that people and models see of it, and all that decides what is sent. */
export interface ToolDefinition {
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

/** A tool that can be called. */
export interface Tool {
  readonly name: string
  readonly definition: ToolDefinition
  /** The definition as JSON in one spelling: the order of members does not count, and every character does. */
  readonly json: string
  /** Of `json`, in hexadecimal. */
  readonly sha256: string
  /** The arguments that are headers, too. */
  readonly headers: readonly ParamHeader[]
}

/** A tool that cannot be called, and why. */
export interface UnusableTool {
  readonly name: string
  readonly problem: string
}

export const MAX_NAME_LENGTH = 128
const MAX_DEFINITION_BYTES = 64 * 1024
const MAX_DEPTH = 64

/**
 * A name that can be read, and written in a rule and a URL: no control, format or private characters, no half of one, and no dot
 * segment.
 */
const NAME = /^(?!\.{1,2}$)[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u

/** Parses a tool of a list. One that breaks a rule of the protocol is unusable; the others can be called. */
export function parseTool(value: unknown): Tool | UnusableTool {
  const { name: received, ...members } = Object(value) as JsonObject
  if (typeof received !== 'string' || !NAME.test(received))
    return {
      name: typeof received === 'string' ? received.replace(/\p{C}/gu, '�').slice(0, 128) : '',
      problem: `Its name is not a text of 1 to ${MAX_NAME_LENGTH} visible characters, or it is a dot segment of URLs.`,
    }
  const name = received
  const { title, description, inputSchema, outputSchema, annotations } = members
  for (const [member, text] of Object.entries({ title, description }))
    if (text !== undefined && typeof text !== 'string')
      return { name, problem: `Its ${member} is not a text.` }
  for (const [member, object] of Object.entries({ outputSchema, annotations }))
    if (object !== undefined && !isJsonObject(object))
      return { name, problem: `Its ${member} is not an object.` }
  if (!isJsonObject(inputSchema)) return { name, problem: 'Its inputSchema is not an object.' }
  const pinned = { title, description, inputSchema, outputSchema, annotations }
  const definition = Object.fromEntries(
    Object.entries(pinned).filter(([, member]) => member !== undefined),
  ) as unknown as ToolDefinition
  return buildTool(name, definition)
}

function buildTool(name: string, definition: ToolDefinition): Tool | UnusableTool {
  const json = stringifyCanonically(definition, MAX_DEPTH)
  if (json === undefined)
    return { name, problem: `Its definition is nested more than ${MAX_DEPTH} times.` }
  if (Buffer.byteLength(json) > MAX_DEFINITION_BYTES)
    return { name, problem: 'Its definition is larger than 64 kB.' }
  const headers = listParamHeaders(definition.inputSchema)
  if (typeof headers === 'string') return { name, problem: headers }
  return { name, definition, json, sha256: hashText(json), headers }
}

/** JSON with sorted members, as in RFC 8785; undefined if it is nested deeper. */
function stringifyCanonically(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth === 0) return undefined
  const parts: string[] = []
  const isArray = Array.isArray(value)
  for (const key of isArray ? value.keys() : Object.keys(value).sort()) {
    const text = stringifyCanonically((value as JsonObject)[key], depth - 1)
    if (text === undefined) return undefined
    parts.push(isArray ? text : `${JSON.stringify(key)}:${text}`)
  }
  return isArray ? `[${parts}]` : `{${parts}}`
}

/** An argument that is sent as `Mcp-Param-{name}`, too. */
interface ParamHeader {
  readonly name: string
  /** The names of the members that lead to it. */
  readonly path: readonly string[]
  readonly type: string
}

/** Members of a schema that are data, and those whose members have names of their own. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'example', 'examples'])
const NAMED_SCHEMAS = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties'])

/** The arguments with `x-mcp-header` ("Custom headers from tool parameters"), or what is wrong with one. */
function listParamHeaders(schema: JsonObject): readonly ParamHeader[] | string {
  const found: ParamHeader[] = []
  const names = new Set<string>()
  let problem: string | undefined
  const add = (node: JsonObject, path: readonly string[] | undefined) => {
    const { 'x-mcp-header': name, type } = node
    if (path === undefined || path.length === 0)
      problem ??= 'An x-mcp-header is not at a property that properties alone lead to.'
    else if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name))
      problem ??= 'An x-mcp-header is not a name of a header field.'
    else if (type !== 'string' && type !== 'integer' && type !== 'boolean')
      problem ??= 'An x-mcp-header is at a property that is no string, integer or boolean.'
    else if (names.has(name.toLowerCase())) problem ??= 'An x-mcp-header occurs twice.'
    else {
      names.add(name.toLowerCase())
      found.push({ name, path, type })
    }
  }
  const walk = (node: unknown, path: readonly string[] | undefined) => {
    if (Array.isArray(node)) for (const each of node) walk(each, undefined)
    if (!isJsonObject(node)) return
    if ('x-mcp-header' in node) add(node, path)
    for (const [keyword, value] of Object.entries(node)) {
      if (DATA_KEYWORDS.has(keyword)) continue
      const isNamed = keyword === 'properties' || NAMED_SCHEMAS.has(keyword)
      if (isNamed && isJsonObject(value))
        for (const [name, child] of Object.entries(value))
          walk(child, keyword === 'properties' && path !== undefined ? [...path, name] : undefined)
      else walk(value, undefined)
    }
  }
  walk(schema, [])
  return problem ?? found
}

/**
 * The headers of a call, as a flat list of names and values.
 *
 * @throws ApiError `validation_failed` if a header cannot have the value of its argument
 */
export function buildParamHeaders({ headers }: Pick<Tool, 'headers'>, args: JsonObject): string[] {
  return headers.flatMap(({ name, path, type }) => {
    const value = path.reduce<unknown>(
      (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      args,
    )
    if (value === undefined || value === null) return []
    const isValid = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
    if (isValid) return [`Mcp-Param-${name}`, encodeHeaderValue(String(value))]
    const field = ['arguments', ...path].join('.')
    throw validationFailed(fieldError(field, 'invalid', `Must be of the type ${type}.`))
  })
}

/** A value of a header: in base64 if HTTP cannot carry it as it is ("Value encoding"). */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value)
  const isMarked = value.startsWith('=?base64?') && value.endsWith('?=')
  return isPlain && !isMarked ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}
