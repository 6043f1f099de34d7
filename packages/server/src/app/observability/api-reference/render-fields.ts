import { type Html, html } from '../../../platform/ui/html.ts'
import { getKnownValues } from '../client-schemas.ts'
import { getRefName, type Schema } from './openapi-document.ts'

/** A row of a table of fields. */
export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly description?: string | undefined
}

/** Renders fields with their types, limits and descriptions. Fields of inline objects follow their object. */
export function renderFields(fields: readonly Field[]): Html | string {
  if (fields.length === 0) return ''
  return html`<dl class="fields">${fields.map((field) => renderField(field))}</dl>`
}

/** The fields of an object schema, or of the objects that a schema allows. */
export function listFields({ properties = {}, required = [], anyOf = [] }: Schema): Field[] {
  if (anyOf.length > 0) return mergeFields(anyOf.map(listFields))
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }))
}

/** The fields of several objects, each name once; required are those that all of them require. */
function mergeFields(objects: readonly Field[][]): Field[] {
  const fields = Map.groupBy(objects.flat(), ({ name }) => name)
  return [...fields].map(([name, variants]) => ({
    name,
    schema: variants[0]?.schema ?? {},
    description: variants.map(({ schema }) => schema.description).join(' Or: '),
    isRequired: variants.length === objects.length && variants.every((field) => field.isRequired),
  }))
}

/** Renders prose in which backticks mark code. */
export function renderProse(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

function renderField({ name, schema, isRequired, description }: Field): Html {
  const text = description ?? schema.description ?? ''
  const details = html`${renderProse(text)}${renderLimits(schema)}${renderNested(schema)}`
  return html`<div><dt><code>${name}</code> <span class="type">${renderType(schema)}</span>${isRequired ? html` <span class="required">Required</span>` : ''}${renderDefault(schema)}</dt>${details.text === '' ? '' : html`<dd>${details}</dd>`}</div>
`
}

function renderDefault({ default: value }: Schema): Html | string {
  if (value === undefined) return ''
  return html` <span class="default">Default <code>${JSON.stringify(value)}</code></span>`
}

function renderNested(schema: Schema): Html | string {
  const inner = schema.items?.properties === undefined ? schema : schema.items
  return inner.properties === undefined ? '' : renderFields(listFields(inner))
}

function renderLimits(schema: Schema): Html | string {
  const { enum: values } = schema
  const knownValues = getKnownValues(schema)
  const sentences = [
    ...(values === undefined || schema.type === 'boolean' ? [] : [`One of ${listValues(values)}.`]),
    ...(knownValues === undefined
      ? []
      : [`${listValues(knownValues)}, or a value of a later version.`]),
    ...(schema.minimum === undefined ? [] : [`At least ${schema.minimum}.`]),
    ...(schema.maximum === undefined ? [] : [`At most ${schema.maximum}.`]),
    ...(schema.maxLength === undefined ? [] : [`At most ${schema.maxLength} characters.`]),
    ...(schema.maxItems === undefined ? [] : [`At most ${schema.maxItems} items.`]),
  ]
  return sentences.length === 0
    ? ''
    : html` <span class="limits">${renderProse(sentences.join(' '))}</span>`
}

function listValues(values: readonly unknown[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}

/** The type in words; a named schema is a link to its section. */
export function renderType(schema: Schema): Html {
  const name = getRefName(schema)
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined)
    return joinTypes(branches.slice(getKnownValues(schema) === undefined ? 0 : 1).map(renderType))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  const types = [schema.type ?? 'any value'].flat()
  return joinTypes(types.map((type) => renderSimpleType(type, schema)))
}

function renderSimpleType(type: string, schema: Schema): Html {
  if (type === 'array') return html`list of ${renderType(schema.items ?? {})}`
  return html`${schema.format === undefined || type !== 'string' ? type : (FORMATS[schema.format] ?? type)}`
}

function joinTypes(types: readonly Html[]): Html {
  return html`${types.map((type, index) => (index === 0 ? type : html` or ${type}`))}`
}

const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'time', uri: 'URL' }
