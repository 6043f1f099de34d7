import { parseJson } from '../../platform/json.ts'
/** A JSON object. Those of an entry are copies that may be changed. */
export type Data = Record<string, unknown>

/** How customers connect. */
export const KINDS = ['oauth2', 'api_key', 'basic', 'client_credentials', 'login'] as const
export type Kind = (typeof KINDS)[number]

/** A field that the customer enters. */
export interface FieldRow {
  /** Where the entry has it: `entry` or `auth`, a colon and its name; empty for a new one. */
  readonly was: string
  readonly name: string
  readonly title: string
  readonly type: 'text' | 'secret' | 'url'
  readonly help: string
}

/** What the form shows of an entry. */
export interface EntryValues {
  readonly kind: Kind
  /** By the names of `CONTROLS`, and of the parts of an API key. */
  readonly texts: Readonly<Record<string, string>>
  readonly rows: readonly FieldRow[]
}

/** How a value of an entry is written in a field. */
interface Codec {
  readonly read: (value: unknown) => string
  /** Undefined: the entry does not have it. */
  readonly write: (text: string) => unknown
}

const TEXT: Codec = {
  read: (value) => (typeof value === 'string' ? value : ''),
  write: (text) => text.trim() || undefined,
}

const SEPARATOR: Codec = { read: TEXT.read, write: (text) => text || undefined }

/** Scopes and names, which contain neither spaces nor commas. */
const WORDS: Codec = {
  read: (value) => (Array.isArray(value) ? value.join(' ') : ''),
  write(text) {
    const words = splitWords(text)
    return words.length === 0 ? undefined : words
  },
}

/** One path, or several of which the first with a value counts. */
const PATHS: Codec = {
  read: (value) => (Array.isArray(value) ? value.join(', ') : TEXT.read(value)),
  write(text) {
    const paths = splitWords(text)
    return paths.length > 1 ? paths : paths[0]
  },
}

/** One `name=value` per line. */
const PAIRS: Codec = {
  read: (value) =>
    Object.entries(toData(value))
      .map(([name, each]) => `${name}=${each}`)
      .join('\n'),
  write(text) {
    const pairs = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => [line.split('=', 1)[0]?.trim(), line.slice(line.indexOf('=') + 1).trim()])
    return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
  },
}

const JSON_TEXT: Codec = {
  read: (value) => (value === undefined ? '' : JSON.stringify(value, null, 2)),
  write: (text) => (text.trim() === '' ? undefined : parseJson(text)),
}

/** A box that is ticked where the provider refuses PKCE. */
const WITHOUT_PKCE: Codec = {
  read: (value) => (value === false ? 'on' : ''),
  write: (text) => (text === '' ? undefined : false),
}

/** A field of the form, and the part of the entry that it shows. */
interface Control {
  readonly codec: Codec
  /** In the entry, for every kind. */
  readonly entry?: readonly string[]
  /** In the authentication method, by kind. */
  readonly auth?: Readonly<Partial<Record<Kind, readonly string[]>>>
}

const CONTROLS: Readonly<Record<string, Control>> = {
  base: { codec: TEXT, entry: ['base'] },
  query: { codec: PAIRS, entry: ['check', 'query'] },
  identityId: { codec: PATHS, entry: ['identity', 'id'] },
  identityLabel: { codec: PATHS, entry: ['identity', 'label'] },
  authorize: { codec: TEXT, auth: { oauth2: ['authorize'] } },
  token: {
    codec: TEXT,
    auth: { oauth2: ['token'], client_credentials: ['clientCredentials', 'token'] },
  },
  scopes: {
    codec: WORDS,
    auth: {
      oauth2: ['scopes', 'default'],
      client_credentials: ['clientCredentials', 'scopes', 'default'],
    },
  },
  separator: {
    codec: SEPARATOR,
    auth: {
      oauth2: ['scopes', 'separator'],
      client_credentials: ['clientCredentials', 'scopes', 'separator'],
    },
  },
  client: {
    codec: TEXT,
    auth: { oauth2: ['client'], client_credentials: ['clientCredentials', 'client'] },
  },
  withoutPkce: { codec: WITHOUT_PKCE, auth: { oauth2: ['pkce'] } },
  revoke: { codec: TEXT, auth: { oauth2: ['revoke'] } },
  authorizeParams: { codec: PAIRS, auth: { oauth2: ['authorizeParams'] } },
  tokenResponse: { codec: WORDS, auth: { oauth2: ['tokenResponse'] } },
  basic: { codec: TEXT, auth: { basic: ['basic'] } },
  loginUrl: { codec: TEXT, auth: { login: ['login', 'post'] } },
  loginBody: { codec: JSON_TEXT, auth: { login: ['login', 'json'] } },
  loginToken: { codec: TEXT, auth: { login: ['login', 'token'] } },
}

/** Controls that are not one value of the entry. */
const OTHER_CONTROLS = ['hosts', 'method', 'path', 'placement', 'keyName', 'prefix'] as const

/** The names of all fields with a text. */
export const CONTROL_NAMES: readonly string[] = [...Object.keys(CONTROLS), ...OTHER_CONTROLS]

/** What the form shows of an entry; of an empty one, what a new one begins with. */
export function readEntry(entry: Data): EntryValues {
  const { kind, auth } = findMethod(entry)
  const texts = Object.fromEntries(
    Object.entries(CONTROLS).map(([name, control]) => [
      name,
      control.codec.read(get(entry, auth, control, kind)),
    ]),
  )
  const check = toData(entry.check)
  const method = 'post' in check ? 'post' : 'get'
  const { hosts } = entry
  return {
    kind,
    texts: {
      ...texts,
      ...readKey(auth),
      method,
      path: TEXT.read(check[method]),
      hosts: Array.isArray(hosts) ? hosts.join('\n') : TEXT.read(hosts),
    },
    rows: [...readRows('entry', entry.fields), ...readRows('auth', auth.fields)],
  }
}

/** What was typed, from the fields of the form. */
export function readValues(form: URLSearchParams): EntryValues {
  const text = (name: string) => (form.get(name) ?? '').replaceAll('\r\n', '\n')
  const kind = KINDS.find((each) => each === form.get('kind')) ?? 'oauth2'
  const rows: FieldRow[] = []
  for (let index = 0; form.has(`field-${index}-title`) && index < MAX_ROWS; index += 1) {
    const part = (name: string) => text(`field-${index}-${name}`).trim()
    const type = TYPES.find((each) => each === part('type')) ?? 'text'
    rows.push({
      was: part('was'),
      name: part('name'),
      title: part('title'),
      type,
      help: part('help'),
    })
  }
  return { kind, texts: Object.fromEntries(CONTROL_NAMES.map((name) => [name, text(name)])), rows }
}

/** As many fields as an authentication method may have. */
const MAX_ROWS = 30
export const TYPES = ['text', 'secret', 'url'] as const

/**
 * The entry with what was typed. What the form does not show and what was not changed stay the same.
 *
 * @param before what the form began with
 */
export function writeEntry(before: Data, typed: EntryValues): Data {
  const entry = structuredClone(before)
  const shown = readEntry(entry)
  const found = findMethod(entry)
  const isSameKind = found.kind === typed.kind && found.name !== undefined
  const auth = isSameKind ? found.auth : keepCommon(found.auth)
  const isChanged = (name: string) => typed.texts[name] !== shown.texts[name]
  writeRows(entry, auth, typed, shown, isSameKind)
  for (const [name, control] of Object.entries(CONTROLS))
    if (isChanged(name) || (!isSameKind && control.entry === undefined))
      put(entry, auth, control, typed.kind, control.codec.write(typed.texts[name] ?? ''))
  if (typed.kind === 'api_key') writeKey(auth, typed, shown, isSameKind)
  if (!isSameKind) addDefaults(auth, typed.kind)
  markKind(auth, typed.kind)
  if (['method', 'path'].some(isChanged)) writeCheck(entry, typed)
  const methods = toData(entry.auth)
  const names = Object.keys(methods)
  const name = isSameKind ? found.name : AUTH_NAMES[typed.kind]
  entry.auth = Object.fromEntries([
    ...names.map((each) => (each === found.name ? [name, auth] : ([each, methods[each]] as const))),
    ...(found.name === undefined ? [[name, auth]] : []),
  ])
  addMissingFields(entry, auth)
  writeHosts(entry, before, typed, shown)
  return entry
}

/** As in the catalogue. */
const AUTH_NAMES: Readonly<Record<Kind, string>> = {
  oauth2: 'OAuth2',
  api_key: 'Api Key',
  basic: 'Basic',
  client_credentials: 'Client Credentials',
  login: 'Login',
}

interface FoundMethod {
  /** Undefined: the entry has none yet. */
  readonly name: string | undefined
  readonly kind: Kind
  readonly auth: Data
}

/** The first authentication method, which is the one that the form shows. */
export function findMethod(entry: Data): FoundMethod {
  const [[name, method] = [undefined, undefined]] = Object.entries(toData(entry.auth))
  const auth = toData(method)
  if (name === undefined || 'authorize' in auth) return { name, kind: 'oauth2', auth }
  if ('clientCredentials' in auth) return { name, kind: 'client_credentials', auth }
  if ('login' in auth) return { name, kind: 'login', auth }
  return { name, kind: 'basic' in auth ? 'basic' : 'api_key', auth }
}

/** What a method of another kind takes over. Its fields are those of the kind. */
function keepCommon({ base, check, identity, after }: Data): Data {
  return Object.fromEntries(
    Object.entries({ base, check, identity, after }).filter(([, value]) => value !== undefined),
  )
}

/** The value that most providers need, where the form has none. */
function addDefaults(auth: Data, kind: Kind): void {
  const userAndPassword = { username: template('username'), password: template('password') }
  if (kind === 'basic') auth.basic ??= `${userAndPassword.username}:${userAndPassword.password}`
  if (kind === 'login') {
    const login = toData(auth.login)
    login.json ??= userAndPassword
    auth.login = login
  }
}

/** An entry that is not complete has its kind, too. */
function markKind(auth: Data, kind: Kind): void {
  if (kind === 'oauth2') auth.authorize ??= ''
  if (kind === 'client_credentials') auth.clientCredentials ??= {}
}

/** Where a text has the value of a field. */
export function template(name: string): string {
  return `\${${name}}`
}

function writeCheck(entry: Data, { texts }: EntryValues): void {
  const { get: _get, post: _post, ...rest } = toData(entry.check)
  const path = (texts.path ?? '').trim()
  entry.check = {
    ...(path !== '' && { [texts.method === 'post' ? 'post' : 'get']: path }),
    ...rest,
  }
}

interface KeyParts {
  readonly placement: string
  readonly keyName: string
  readonly prefix: string
}

/** How a key is sent: the header or parameter, what stands before the key, and the field that has it. */
function parseKey({ headers, query }: Data): (KeyParts & { readonly field: string }) | undefined {
  const all = [
    ...Object.entries(toData(headers)).map(([name, value]) => ['header', name, value] as const),
    ...Object.entries(toData(query)).map(([name, value]) => ['query', name, value] as const),
  ]
  const [[placement, keyName, value] = []] = all
  const match = /^([^$]*)\$\{([\w.-]+)\}$/.exec(typeof value === 'string' ? value : '')
  if (all.length !== 1 || placement === undefined || keyName === undefined || match === null)
    return undefined
  const [, prefix = '', field = ''] = match
  return { placement, keyName, prefix: prefix.trimEnd(), field }
}

function readKey(auth: Data): KeyParts {
  const parsed = parseKey(auth)
  if (parsed === undefined) {
    const isNew = auth.headers === undefined && auth.query === undefined
    return {
      placement: 'header',
      keyName: isNew ? 'Authorization' : '',
      prefix: isNew ? 'Bearer' : '',
    }
  }
  const { placement, keyName, prefix } = parsed
  return { placement, keyName, prefix }
}

function writeKey(auth: Data, typed: EntryValues, shown: EntryValues, isSameKind: boolean): void {
  const names = Object.entries(toData(auth.fields))
  const [field = ''] = names.find(([, each]) => toData(each).secret === true) ?? names[0] ?? []
  const before = parseKey(auth)
  const isSame = ['placement', 'keyName', 'prefix'].every(
    (name) => typed.texts[name] === shown.texts[name],
  )
  if (isSameKind && isSame && (before === undefined || before.field === field)) return
  const { placement, keyName = '', prefix = '' } = typed.texts
  const start = prefix.trim()
  const isQuery = placement === 'query'
  // A scheme such as Bearer is followed by a space (RFC 9110, section 11.4).
  const value = `${start}${/\w$/.test(start) ? ' ' : ''}${template(field)}`
  delete auth[isQuery ? 'headers' : 'query']
  const name = keyName.trim()
  if (name === '') delete auth[isQuery ? 'query' : 'headers']
  else auth[isQuery ? 'query' : 'headers'] = { [name]: isQuery ? template(field) : value }
}

function readRows(scope: 'entry' | 'auth', fields: unknown): FieldRow[] {
  return Object.entries(toData(fields)).map(([name, field]) => {
    const { title, help } = toData(field)
    return {
      was: `${scope}:${name}`,
      name,
      title: TEXT.read(title),
      type: readType(field),
      help: TEXT.read(help),
    }
  })
}

function readType(field: unknown): FieldRow['type'] {
  const { secret, type } = toData(field)
  if (secret === true) return 'secret'
  return type === 'url' ? 'url' : 'text'
}

const USER_AND_PASSWORD: Data = {
  username: { title: 'User name' },
  password: { title: 'Password', secret: true, help: 'The one that you sign in with.' },
}

const KIND_FIELDS: Readonly<Record<Kind, Data>> = {
  oauth2: {},
  client_credentials: {},
  api_key: {
    api_key: {
      title: 'API key',
      secret: true,
      help: 'Create one in the settings of your account.',
    },
  },
  basic: USER_AND_PASSWORD,
  login: USER_AND_PASSWORD,
}

/** The fields that were typed; without any, those of the kind. */
function writeRows(
  entry: Data,
  auth: Data,
  typed: EntryValues,
  shown: EntryValues,
  isSameKind: boolean,
): void {
  const isTyped = JSON.stringify(typed.rows) !== JSON.stringify(shown.rows)
  if (isSameKind && !isTyped) return
  const rows = typed.rows.filter(({ name, title, help }) => `${name}${title}${help}` !== '')
  const previous = { entry: toData(entry.fields), auth: toData(findMethod(entry).auth.fields) }
  const write = (scope: 'entry' | 'auth') =>
    rows
      .filter(({ was }) => was.startsWith('entry:') === (scope === 'entry'))
      .map((row) => {
        const before = toData(previous[scope][row.was.slice(row.was.indexOf(':') + 1)])
        return [row.name || toFieldName(row.title), writeField(before, row)] as const
      })
  const own = write('auth')
  const fields = { entry: write('entry'), auth: isTyped && own.length > 0 ? own : [] }
  const isNew = !isSameKind && fields.auth.length === 0
  setFields(entry, Object.fromEntries(fields.entry))
  setFields(
    auth,
    isNew ? structuredClone(KIND_FIELDS[typed.kind]) : Object.fromEntries(fields.auth),
  )
}

function writeField(before: Data, { title, type, help }: FieldRow): Data {
  const { title: _title, type: beforeType, secret: _secret, help: _help, ...rest } = before
  const written = readType(before) === type ? beforeType : type === 'url' ? 'url' : undefined
  return {
    title,
    ...(written !== undefined && { type: written }),
    ...(type === 'secret' && { secret: true }),
    ...(help !== '' && { help }),
    ...rest,
  }
}

function setFields(data: Data, fields: Data): void {
  if (Object.keys(fields).length === 0) delete data.fields
  else data.fields = fields
}

/** A name of the form `api_key`. */
export function toFieldName(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join('_').replace(/^(?=\d)/, 'f_') || 'field'
}

const NAME = /\$\{([\w.-]+)\}/g

/** A name in a URL without a value needs a field; one in a host name needs a pattern. */
function addMissingFields(entry: Data, auth: Data): void {
  const urls = listUrls(entry, auth)
  const fields = { ...toData(entry.fields), ...toData(auth.fields) }
  const later = [
    ...[auth.tokenResponse, auth.callbackParams].flatMap((names) =>
      Array.isArray(names) ? names.map(String) : [],
    ),
    ...[entry.after, auth.after].flatMap((facts) =>
      Array.isArray(facts) ? facts.map((fact) => String(toData(fact).name)) : [],
    ),
  ]
  for (const url of urls)
    for (const [placeholder, name = ''] of url.matchAll(NAME)) {
      const isStart = url.startsWith(placeholder)
      const isInHost = (/^https:\/\/[^/?#]+/.exec(url)?.[0] ?? '').includes(placeholder)
      const field = toData(fields[name])
      if (later.includes(name) || /^[\w-]+$/.test(name) === false) continue
      if (!Object.hasOwn(fields, name)) {
        fields[name] = isStart
          ? { title: 'Address', type: 'url', help: ADDRESS_HELP, placeholder: 'https://' }
          : {
              title: toTitle(name),
              help: `The part of your address in the place of ${name}.`,
              ...(isInHost && { pattern: LABEL }),
            }
        auth.fields = { ...toData(auth.fields), [name]: fields[name] }
      } else if (isInHost && field.pattern === undefined && field.values === undefined)
        field.pattern = LABEL
    }
}

const ADDRESS_HELP = 'The address of your account, as in your browser.'

/** A single label of a host name. */
const LABEL = '^[a-z0-9][a-z0-9-]{0,62}$'

function toTitle(name: string): string {
  const text = name.replaceAll(/[_-]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The hosts of the URLs, and those that were typed. */
function writeHosts(entry: Data, before: Data, typed: EntryValues, shown: EntryValues): void {
  const text = typed.texts.hosts ?? ''
  const isShown = text.trim() !== '' && text === shown.texts.hosts
  const wasDerived =
    JSON.stringify(before.hosts) === JSON.stringify(deriveHosts(before, findMethod(before).auth))
  if (isShown && !wasDerived) return
  const derived = deriveHosts(entry, findMethod(entry).auth)
  const chosen = isShown ? [] : splitWords(text)
  const isAny = derived === 'any' || chosen.includes('any')
  const hosts = isAny ? 'any' : [...chosen, ...derived.filter((host) => !isCovered(host, chosen))]
  const { auth, ...rest } = entry
  for (const name of Object.keys(entry)) delete entry[name]
  Object.assign(entry, { ...rest, hosts, auth })
}

function isCovered(host: string, hosts: readonly string[]): boolean {
  return hosts.some(
    (each) => each === host || (each.startsWith('*.') && host.endsWith(each.slice(1))),
  )
}

/** The hosts that receive requests; `any` if a customer enters the address. */
function deriveHosts(entry: Data, auth: Data): 'any' | string[] {
  const fields = { ...toData(entry.fields), ...toData(auth.fields) }
  const hosts = listUrls(entry, auth, { withSignIn: false }).flatMap((url) => {
    const [, start] = /^\$\{([\w.-]+)\}/.exec(url) ?? []
    if (start !== undefined) return toData(fields[start]).type === 'url' ? ['any'] : []
    const host = /^https:\/\/([^/?#:]+)/.exec(url)?.[1] ?? ''
    const pattern = host.replace(/^(?:[^.]*\$\{[\w.-]+\}[^.]*\.)+/, '*.').toLowerCase()
    return pattern === '' || pattern.includes('$') ? [] : [pattern]
  })
  return hosts.includes('any') ? 'any' : [...new Set(hosts)]
}

/** Whether the address of the API comes with the sign-in, so that its hosts cannot be derived. */
export function needsHosts(entry: Data): boolean {
  const { auth } = findMethod(entry)
  const [, start] = /^(?:https:\/\/)?\$\{([\w.-]+)\}(?:[:/]|$)/.exec(TEXT.read(entry.base)) ?? []
  const isLater = Array.isArray(auth.tokenResponse) && auth.tokenResponse.includes(start)
  return isLater && deriveHosts(entry, auth) !== 'any'
}

/** The URLs of an entry. A browser opens the one of the sign-in. */
function listUrls(entry: Data, auth: Data, { withSignIn = true } = {}): string[] {
  const clientCredentials = toData(auth.clientCredentials)
  const login = toData(auth.login)
  const requests = [entry.check, entry.identity, auth.check, auth.identity].map(toData)
  return [
    entry.base,
    auth.base,
    ...(withSignIn ? [auth.authorize] : []),
    auth.token,
    auth.refreshUrl,
    auth.revoke,
    auth.par,
    clientCredentials.token,
    login.post,
    login.get,
    ...requests.flatMap(({ get: read, post }) => [read, post]),
  ].filter((url): url is string => typeof url === 'string' && !url.startsWith('/'))
}

/** The field of the form that a path of the entry belongs to; of a field that customers enter, its row. Undefined: none. */
export function findControl(entry: Data, path: string): string | undefined {
  const { name = '', kind } = findMethod(entry)
  const start = `auth.${name}.`
  const [scope, rest] = path.startsWith(start)
    ? (['auth', path.slice(start.length)] as const)
    : (['entry', path] as const)
  const [, field] = /^fields\.([^.]+)/.exec(rest) ?? []
  if (field !== undefined) {
    const { rows } = readEntry(entry)
    const index = rows.findIndex(({ was }) => was === `${scope}:${field}`)
    return index === -1 ? undefined : `field-${index}-title`
  }
  if (scope === 'entry' && /^check(?:$|\.(?:get|post))/.test(rest)) return 'path'
  if (scope === 'entry' && rest.startsWith('hosts')) return 'hosts'
  if (scope === 'auth' && /^(?:headers|query)/.test(rest) && kind === 'api_key') return 'keyName'
  return Object.entries(CONTROLS)
    .filter(([, control]) => {
      const at = (scope === 'entry' ? control.entry : control.auth?.[kind])?.join('.')
      return at !== undefined && (rest === at || rest.startsWith(`${at}.`))
    })
    .map(([control]) => control)[0]
}

/** The field that a message names, or whose text it quotes, such as a URL. */
export function findQuoted({ texts, rows }: EntryValues, message: string): string | undefined {
  const [, field] = /\bfield (\w+)\b/.exec(message) ?? []
  const index = rows.findIndex(({ name, title }) => (name || toFieldName(title)) === field)
  if (index !== -1) return `field-${index}-title`
  return CONTROL_NAMES.find((name) => {
    const text = texts[name]?.trim() ?? ''
    return text.length > 3 && message.includes(text)
  })
}

function get(entry: Data, auth: Data, control: Control, kind: Kind): unknown {
  const path = control.entry ?? control.auth?.[kind]
  if (path === undefined) return undefined
  return path.reduce<unknown>(
    (at, name) => toData(at)[name],
    control.entry === undefined ? auth : entry,
  )
}

function put(entry: Data, auth: Data, control: Control, kind: Kind, value: unknown): void {
  const path = control.entry ?? control.auth?.[kind]
  if (path !== undefined) putAt(control.entry === undefined ? auth : entry, path, value)
}

/** Removes the objects that become empty. */
function putAt(data: Data, [name = '', ...rest]: readonly string[], value: unknown): void {
  const inner = toData(data[name])
  if (rest.length > 0) putAt(inner, rest, value)
  const next = rest.length === 0 ? value : Object.keys(inner).length === 0 ? undefined : inner
  if (next === undefined) delete data[name]
  else data[name] = next
}

/** An object of a JSON value; a new one for everything else. */
export function toData(value: unknown): Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : {}
}

function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
