/** A JSON Schema as the OpenAPI document has it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  /** Of a list that always has these items. */
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

/**
 * The TypeScript type of a schema: `unknown` for one that only describes. @throws Error for any other schema without a
 * type: the document would have a part that this renderer does not know
 */
export function renderSchema(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return renderValue(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(renderValue).join(' | ')
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return renderBranches(branches)
  if (Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword))) return 'unknown'
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (types === undefined) throw new Error(`No type: ${JSON.stringify(schema).slice(0, 200)}`)
  return types.map((type) => renderType(schema, type)).join(' | ')
}

/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS = new Set(['title', 'description', 'examples'])

/** A union; known texts beside any text stay visible to editors. */
function renderBranches(branches: readonly Schema[]): string {
  const isOpen = branches.some(({ enum: values }) => values !== undefined)
  return branches
    .map((branch) =>
      isOpen && branch.type === 'string' && branch.enum === undefined
        ? '(string & {})'
        : renderSchema(branch),
    )
    .join(' | ')
}

function renderType(schema: Schema, type: string): string {
  switch (type) {
    case 'object':
      return renderObject(schema)
    case 'array':
      return schema.prefixItems === undefined
        ? renderArray(renderSchema(schema.items ?? {}))
        : `[${schema.prefixItems.map(renderSchema).join(', ')}]`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return type
    default:
      throw new Error(`Unknown type: ${type}`)
  }
}

/** An object with its fields; one without declared fields is a record. */
export function renderObject({ properties, required, additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {})
  if (typeof additionalProperties === 'object')
    return `Record<string, ${renderSchema(additionalProperties)}>`
  if (fields.length === 0)
    return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>'
  const lines = fields.map(([name, field]) => {
    const isRequired = required?.includes(name) ?? false
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${renderComment(field.description)}${key}${isRequired ? '' : '?'}: ${renderSchema(field)}${isRequired ? '' : ' | undefined'}`
  })
  return `{\n${lines.join('\n')}\n}`
}

/** A documentation comment and a line break; empty without a text. */
export function renderComment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : ''
}

function renderArray(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`
}

function renderValue(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
