import type { InputProperty } from '@linchpin/runner/protocol'
import type { Field, FieldOptions, IsOptional, Translation } from './field.ts'

/** A short text that may be shown again, such as a subdomain. */
export function text<const O extends FieldOptions>(
  title: string,
  options?: O,
): Field<string, IsOptional<O>> {
  return field({ type: 'string', title, 'x-secret': false }, options)
}

/** A secret: masked, encrypted, and never returned. */
export function secret<const O extends FieldOptions>(
  title: string,
  options?: O,
): Field<string, IsOptional<O>> {
  return field({ type: 'string', title, format: 'password' }, options)
}

/** The URL of a server, such as `https://shop.example.com`. May start a URL: `${url}/api`. */
export function url<const O extends FieldOptions>(
  title: string,
  options?: O,
): Field<string, IsOptional<O>> {
  return field({ type: 'string', title, format: 'uri', 'x-secret': false }, options)
}

/** An e-mail address. */
export function email<const O extends FieldOptions>(
  title: string,
  options?: O,
): Field<string, IsOptional<O>> {
  return field({ type: 'string', title, format: 'email', 'x-secret': false }, options)
}

/** A number. */
export function number<const O extends FieldOptions<number>>(
  title: string,
  options?: O,
): Field<number, IsOptional<O>> {
  return field({ type: 'number', title, 'x-secret': false }, options)
}

/**
 * One of a list, such as a region. May be part of a host name. With display names: `select('Region', { us: 'United
 * States', eu: 'Europe' })`.
 */
export function select<const V extends string, const O extends FieldOptions<NoInfer<V>>>(
  title: string,
  values: readonly V[] | Readonly<Record<V, string>>,
  options?: O,
): Field<V, IsOptional<O>> {
  const named = isList(values)
    ? { enum: values }
    : { enum: Object.keys(values), 'x-labels': values }
  return field({ type: 'string', title, ...named, 'x-secret': false }, options)
}

function isList<V extends string>(
  values: readonly V[] | Readonly<Record<V, string>>,
): values is readonly V[] {
  return Array.isArray(values)
}

function field<T, O extends boolean>(
  property: InputProperty,
  options: FieldOptions<T> = {},
): Field<T, O> {
  const { help, helpUrl, placeholder, order, i18n, isSecret, optional = false, ...schema } = options
  const given = {
    description: help,
    'x-placeholder': placeholder,
    'x-help-url': helpUrl,
    'x-order': order,
    'x-i18n': i18n && translate(i18n),
    ...(isSecret === undefined ? {} : { 'x-secret': isSecret }),
  }
  // Undefined members are dropped when the result is serialized as JSON.
  return {
    property: { ...property, ...schema, ...given } as InputProperty,
    optional: optional as O,
  }
}

function translate(i18n: Readonly<Record<string, Translation>>): InputProperty['x-i18n'] {
  const entries = Object.entries(i18n).map(([language, { label, help, placeholder, values }]) => [
    language,
    { title: label, description: help, 'x-placeholder': placeholder, 'x-labels': values },
  ])
  return Object.fromEntries(entries)
}
