import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InputProperty } from '@linchpin/runner'
import { getMessages } from '../../../platform/i18n/language.ts'
import { createFormFields } from './auth-method.ts'
import { getFieldErrorMessage } from './field-texts.ts'
import type { FormField } from './form-field.ts'
import { parseForm } from './parse-form.ts'

describe('formFields', () => {
  it('sorts by x-order, then in spec order', () => {
    const names = createFields({ b: {}, a: { 'x-order': 2 }, c: {}, d: { 'x-order': 1 } })
    assert.deepEqual(
      names.map(({ name }) => name),
      ['d', 'a', 'b', 'c'],
    )
  })

  it('labels a field with its title, else with its name as words', () => {
    const getLabel = (name: string, property: InputProperty = {}) =>
      createFormField(name, property).label
    assert.equal(getLabel('api_key'), 'API key')
    assert.equal(getLabel('accountSid'), 'Account SID')
    assert.equal(getLabel('x', { title: ' Your workspace ' }), 'Your workspace')
    assert.equal(getLabel('x', { title: 't'.repeat(300) }).length, 100)
    assert.equal(getLabel('___'), '___')
  })

  it('chooses the control by type, format and name', () => {
    const getKind = (name: string, property: InputProperty) => createFormField(name, property).kind
    assert.equal(getKind('site', { enum: ['a', 'b'] }), 'select')
    assert.equal(getKind('plan', { oneOf: [{ const: 'a', title: 'A' }] }), 'select')
    assert.equal(getKind('version', { const: 'v2' }), 'select')
    assert.equal(getKind('test', { type: 'boolean' }), 'checkbox')
    assert.equal(getKind('agreed', { type: 'boolean', const: true }), 'checkbox')
    assert.equal(getKind('port', { type: 'integer' }), 'number')
    assert.equal(getKind('host', { format: 'url' }), 'url')
    assert.equal(getKind('mail', { format: 'email' }), 'email')
    assert.equal(getKind('day', { format: 'date' }), 'date')
    assert.equal(getKind('private_key', { format: 'password' }), 'area')
    assert.equal(getKind('more', { type: 'object' }), 'area')
    assert.equal(getKind('domain', { type: 'string' }), 'text')
  })

  it('shows the label of an option, else the value, and submits the value', () => {
    const labels = { eu: ' Europe ', 1: 'One', long: 'l'.repeat(300), blank: ' ' }
    const values = ['eu', 1, 'long', 'blank', 'toString', true]
    const { options } = createFormField('region', { enum: values, 'x-labels': labels })
    assert.deepEqual(options, [
      { value: 'eu', text: 'Europe' },
      { value: '1', text: 'One' },
      { value: 'long', text: 'l'.repeat(100) },
      { value: 'blank', text: 'blank' },
      { value: 'toString', text: 'toString' },
      { value: 'true', text: 'true' },
    ])
  })

  it('masks marked secrets and, without markers, names that look like secrets', () => {
    const isMasked = (name: string, property: InputProperty = {}) =>
      createFormField(name, property).isSecret
    for (const name of ['api_key', 'apiKey', 'token', 'access_token', 'client_secret', 'password'])
      assert.equal(isMasked(name), true, name)
    for (const name of ['domain', 'project_id', 'username', 'key_id', 'monkey'])
      assert.equal(isMasked(name), false, name)
    assert.equal(isMasked('token_name', { 'x-secret': false }), false)
    assert.equal(isMasked('a', { 'x-secret': true }), true)
    assert.equal(isMasked('a', { format: 'password', 'x-secret': false }), true)
    assert.equal(isMasked('a', { writeOnly: true, 'x-secret': false }), true)
    assert.equal(createFormField('token', { default: 'never shown' }).initial, '')
  })

  it('renders an object as a group of fields and parses it into an object', () => {
    const proxy = {
      type: 'object',
      title: 'Proxy',
      required: ['host'],
      properties: {
        password: { format: 'password' },
        host: { 'x-order': 1 },
        port: { type: 'integer' },
        tls: { type: 'boolean' },
      },
    } as InputProperty
    const fields = createFields({ a_field: proxy, other: proxy })
    assert.deepEqual(
      fields.map(({ id, name, isSecret, isRequired, isOptional, group }) =>
        [id, name, isSecret, isRequired, isOptional, group?.label, group?.isOptional].join(' '),
      ),
      [
        'field-0 a_field.host false true false Proxy false',
        'field-1 a_field.password true false true Proxy false',
        'field-2 a_field.port false false true Proxy false',
        'field-3 a_field.tls false false false Proxy false',
        'field-4 other.host false false false Proxy true',
        'field-5 other.password true false false Proxy true',
        'field-6 other.port false false false Proxy true',
        'field-7 other.tls false false false Proxy true',
      ],
    )
    const values = {
      'field.a_field.host': 'h',
      'field.a_field.port': '80',
      'field.other.host': ' ',
    }
    const { config, entered } = parseForm(fields, new URLSearchParams(values))
    assert.deepEqual(config, { a_field: { host: 'h', port: 80, tls: false } })
    assert.equal(entered.get('a_field.host'), 'h')
    assert.equal(entered.has('a_field.password'), false)
    const empty = parseForm(
      createFields({ a_field: { properties: { host: {} } } as InputProperty }),
      new URLSearchParams(),
    )
    assert.deepEqual(empty.config, { a_field: {} })
  })

  it('masks all fields of a secret object, and a list of objects that contain a secret', () => {
    const isMasked = (property: object) =>
      createFormField('proxy', property as InputProperty).isSecret
    assert.equal(isMasked({ writeOnly: true, properties: { host: {} } }), true)
    assert.equal(isMasked({ properties: { host: {} } }), false)
    const list = { type: 'array', items: { properties: { host: {}, proxy_password: {} } } }
    assert.equal(isMasked(list), true)
    assert.equal(isMasked({ ...list, 'x-secret': false }), true)
  })

  it('tolerates unvalidated values in nested properties', () => {
    const invalid = { toString: 1 }
    const nested = {
      a: { format: invalid, type: 5, title: 3, enum: 'x', 'x-labels': 'y' },
      b: null,
      c: 1,
    }
    for (const property of [
      ...[
        { type: 5 },
        { type: invalid },
        { type: [5, null] },
        { enum: [invalid, null] },
        { const: invalid },
      ],
      ...[{ oneOf: [{ const: invalid, title: invalid }] }, { type: 'object', properties: nested }],
      ...[{ type: 'array', items: 5 }, { type: 'array', items: null }, { properties: [1] }],
    ])
      assert.equal(
        createFields({ odd: property as InputProperty }).length,
        1,
        JSON.stringify(property),
      )
  })

  it('treats a checkbox as answered whether it is ticked or not', () => {
    const checkbox = createFormField('a_field', { type: 'boolean' })
    assert.deepEqual([checkbox.isRequired, checkbox.isOptional], [false, false])
  })

  it('marks a field as optional only when the spec declares required fields', () => {
    const fields = (names: string[], marksRequired: boolean) =>
      createFormFields({
        properties: new Map(names.map((name) => [name, {}])),
        required: [],
        declaresRequired: marksRequired,
      }).map(({ isRequired, isOptional }) => [isRequired, isOptional])
    assert.deepEqual(fields(['api_key'], true), [[false, true]])
    assert.deepEqual(fields(['domain', 'api_key'], false), [
      [false, false],
      [false, false],
    ])
    assert.deepEqual(fields(['api_key'], false), [[true, false]])
    assert.deepEqual(fields(['domain'], false), [[false, false]])
  })

  it('preselects the only allowed value', () => {
    assert.equal(createFormField('v', { const: '2024-01' }).initial, '2024-01')
    assert.equal(createFormField('a_field', { enum: ['eu'] }).initial, 'eu')
    assert.equal(createFormField('v', { enum: ['eu'] }).initial, '')
  })

  it('explains how to enter several values', () => {
    const getInputFormat = (property: object) =>
      createFormField('v', property as InputProperty).inputFormat
    assert.equal(getInputFormat({ type: 'array' }), 'linesHelp')
    assert.equal(getInputFormat({ type: 'array', items: { properties: { a: {} } } }), 'jsonHelp')
    assert.equal(getInputFormat({ type: 'object' }), 'jsonHelp')
    assert.equal(getInputFormat({ type: 'string', format: 'multiline' }), undefined)
    const hosts = { type: 'array', items: { properties: { host: {} } } } as InputProperty
    assert.equal(createFormField('v', hosts).attributes.placeholder, '[{"host":"…"}]')
  })

  it('links to help over https without userinfo only', () => {
    const getHelpUrl = (helpUrl: string) => createFormField('a', { 'x-help-url': helpUrl }).helpUrl
    assert.equal(getHelpUrl('https://help.example/a'), 'https://help.example/a')
    for (const unsafe of [
      'http://a.example',
      'javascript:alert(1)',
      'https://x@a.example',
      '//a',
      '',
    ])
      assert.equal(getHelpUrl(unsafe), undefined, unsafe)
  })

  it('renders a pattern attribute only for patterns that run in linear time', () => {
    const getPatternHint = (pattern: string) => createFormField('a', { pattern }).attributes.pattern
    for (const safePattern of ['^sk_(?:live|test)_[A-Za-z0-9]{24}$', '^[a-z]+$', '^\\d{3}-\\d{2}$'])
      assert.equal(getPatternHint(safePattern), safePattern)
    const hyphen = getPatternHint('^[a-z0-9-]{2,30}$')
    assert.equal(hyphen, '^[a-z0-9\\-]{2,30}$')
    assert.match('a-b', new RegExp(hyphen ?? '', 'v'))
    for (const unsafe of [
      '^(a+)+$',
      '^[a-z]+[a-z]+$',
      '^(?:[a-z]{1,})*$',
      '(a|aa)+$',
      'abc',
      '^a|b$',
      '^(?=a)$',
      '^(a)\\1$',
      `^${'a'.repeat(300)}$`,
      '^[^a]$',
      '^"><script>$',
    ])
      assert.equal(getPatternHint(unsafe), undefined, unsafe)
  })
})

describe('A textarea', () => {
  it('keeps the pasted line breaks instead of the CRLF that browsers submit', () => {
    const fields = createFormFields({
      properties: new Map([['private_key', {}]]),
      required: [],
      declaresRequired: false,
    })
    const form = new URLSearchParams({ 'field.private_key': 'a\r\nb\nc\rd' })
    assert.deepEqual(parseForm(fields, form).config, { private_key: 'a\nb\nc\rd' })
  })
})

describe('parseForm', () => {
  const parse = (properties: Record<string, InputProperty>, values: Record<string, string>) =>
    parseForm(
      createFields(properties),
      new URLSearchParams(
        Object.entries(values).map(([name, value]): [string, string] => [`field.${name}`, value]),
      ),
    )

  it('parses each field as the type in the spec', () => {
    const { config } = parse(
      {
        port: { type: 'integer' },
        rate: { type: ['number', 'null'] },
        on: { type: 'boolean' },
        off: { type: 'boolean' },
        size: { enum: [1, 2] },
        tags: { type: 'array' },
        list: { type: 'array' },
        ports: { type: 'array', items: { type: 'integer' } } as InputProperty,
        plan: { oneOf: [{ const: 7, title: 'Seven' }] },
        map: { type: 'object' },
        text: { type: 'string' },
      },
      {
        port: ' 8080 ',
        rate: '0,5',
        on: 'true',
        size: '2',
        tags: 'a\n b',
        list: '["c"]',
        ports: '80\n443\nx',
        plan: '7',
        map: '{"a":1}',
        text: '12',
      },
    )
    assert.deepEqual(config, {
      port: 8080,
      rate: 0.5,
      on: true,
      off: false,
      size: 2,
      tags: ['a', 'b'],
      list: ['c'],
      ports: [80, 443, 'x'],
      plan: 7,
      map: { a: 1 },
      text: '12',
    })
  })

  it('passes text that cannot be parsed unchanged, so that validation reports it', () => {
    const { config } = parse(
      { port: { type: 'integer' }, map: { type: 'object' }, size: { enum: [1] } },
      { port: '0x1f', map: '{a', size: '3' },
    )
    assert.deepEqual(config, { port: '0x1f', map: '{a', size: '3' })
  })

  it('trims keys but not passwords, and omits empty fields', () => {
    const { config } = parse(
      { api_key: {}, password: {}, empty: {}, blank: {} },
      { api_key: ' k\n', password: ' p ', empty: '', blank: '  ' },
    )
    assert.deepEqual(config, { api_key: 'k', password: ' p ' })
  })

  it('keeps entered values except secrets, and ignores unknown fields', () => {
    const values = { api_key: 'secret', domain: 'north', other: 'x' }
    const { config, entered } = parse({ api_key: {}, domain: {} }, values)
    assert.deepEqual([...entered], [['domain', 'north']])
    assert.deepEqual(config, { api_key: 'secret', domain: 'north' })
  })

  it('accepts field names such as __proto__ and constructor', () => {
    const properties = Object.fromEntries([['__proto__', {}]])
    const { config } = parseForm(
      createFields(properties),
      new URLSearchParams([['field.__proto__', 'x']]),
    )
    assert.deepEqual(Object.entries(config), [['__proto__', 'x']])
    assert.equal(({} as Record<string, unknown>).x, undefined)
  })

  it('reports text with NUL or lone surrogates', () => {
    assert.deepEqual(Object.keys(parse({ a: {} }, { a: 'x\0' }).errors), ['config.a'])
  })
})

describe('fieldErrorMessage', () => {
  const message = (property: InputProperty, code: string, value?: unknown, name = 'a_field') =>
    String(
      getFieldErrorMessage(getMessages('en'), createFormField(name, property), { code }, value),
    )

  it('describes what to enter', () => {
    assert.equal(message({}, 'required'), 'Enter A field')
    assert.equal(message({ enum: ['x'] }, 'required'), 'Choose A field')
    assert.equal(message({ enum: ['x'] }, 'invalid', 'y'), 'Choose A field')
    assert.equal(message({ type: 'number' }, 'wrong_type', 'x'), 'Enter a number')
    assert.match(message({ minLength: 8 }, 'invalid', 'short'), /at least 8 characters/)
    assert.match(message({ format: 'email' }, 'invalid', 'x'), /email address/)
    assert.match(message({ format: 'url' }, 'invalid', 'x'), /full address/)
    assert.match(message({ pattern: '^a$' }, 'pattern', 'x'), /Check A field/)
    const port = { type: 'integer', maximum: 65_535 } as InputProperty
    assert.match(message(port, 'invalid', 70_000), /Enter 65,535 or less/)
    assert.match(message({ minLength: 2 }, 'invalid', '👍'), /at least 2/)
  })
})

function createFields(properties: Record<string, InputProperty>): FormField[] {
  return createFormFields({
    properties: new Map(Object.entries(properties)),
    required: ['a_field'],
    declaresRequired: true,
  })
}

function createFormField(name: string, property: InputProperty): FormField {
  const [field] = createFields({ [name]: property })
  assert.ok(field)
  return field
}
