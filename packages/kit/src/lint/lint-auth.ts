import type { AuthMethod } from '../auth/auth-method.ts'
import type { Definition } from '../definition.ts'
import { getFacts, getLaterNames } from '../run/get-auth-method.ts'
import type { DeclaredCheck } from '../spec/check-rules.ts'
import { findDiscoveryProblem } from '../spec/discovery-rules.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import { isSecretField } from '../spec/field.ts'
import { lintRevocation } from './lint-revocation.ts'

/** Lints the authentication methods: scopes, parameters, undefined names. */
export function lintAuth(definition: Definition): string[] {
  return Object.entries(definition.auth).flatMap(([authType, authMethod]) =>
    [
      ...lintOAuth(authMethod),
      ...lintDiscovery(authMethod),
      ...lintScopeLabels(authMethod),
      ...lintAppSetup(authMethod),
      ...lintAuthorizationTemplates(definition, authMethod),
      ...lintNames(definition, authType, authMethod),
      ...lintFacts(definition, authType, authMethod),
      ...lintRevocation(definition, authType, authMethod),
    ].map((error) => `${authType}: ${error}`),
  )
}

function lintOAuth({ spec, scopes: scopeOptions }: AuthMethod): string[] {
  const { names: scopes = [], separator = ' ' } = scopeOptions ?? {}
  const params = Object.keys(spec.authorization_params ?? {})
  const tokenParamNames = Object.keys({ ...spec.token_params, ...spec.refresh_params })
  const issuer = spec['x-issuer']
  return [
    ...scopes
      .filter((scope) => scope.includes(separator))
      .map((scope) => `scope "${scope}" contains the separator.`),
    ...scopes
      .filter((scope, at) => scopes.indexOf(scope) !== at)
      .map((scope) => `scope ${scope} is listed twice.`),
    ...(scopes.every((scope) => scope.trim() !== '') ? [] : ['a scope is empty.']),
    ...tokenParamNames
      .filter((name) => RESERVED_TOKEN_PARAMS.has(name))
      .map((name) => `parameters of token requests must not set ${name}: Linchpin does.`),
    ...(issuer === undefined || /^https:\/\//.test(String(issuer))
      ? []
      : ['issuer must be an https URL.']),
    ...params
      .filter((name) => RESERVED_AUTHORIZATION_PARAMS.has(name))
      .map((name) => `authorizationParams must not set ${name}: Linchpin does.`),
  ]
}

/** Lints the URL of a server that says itself where people sign in. */
function lintDiscovery({ spec }: AuthMethod): string[] {
  const problem = findDiscoveryProblem(spec)
  return problem === undefined ? [] : [`${problem}.`]
}

const RESERVED_TOKEN_PARAMS = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
])

const RESERVED_AUTHORIZATION_PARAMS = new Set([
  'state',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
])

/** Lints names in what is needed before sign-in: only fields and the app define them, and for the code also the callback. */
function lintAuthorizationTemplates(
  { inputs }: Definition,
  { spec, fields }: AuthMethod,
): string[] {
  const { authorization_url, token_url, authorization_params, token_params, server_url } = spec
  const pushed = spec.pushed_authorization_request_url
  const others = [authorization_params, token_params, pushed, server_url]
  const early = findPlaceholderNames([authorization_url, others])
  const available = new Set(['client_id', ...Object.keys({ ...inputs, ...fields })])
  const fromCallback = new Set(spec.callback_params)
  return [...findPlaceholderNames([authorization_url, token_url, others])]
    .filter((name) => !available.has(name) && (early.has(name) || !fromCallback.has(name)))
    .map((name) => `\${${name}} has no value before sign-in.`)
}

/** Lints undefined names in templates and rules, and unused fields. */
function lintNames(definition: Definition, authType: string, authMethod: AuthMethod): string[] {
  const { inputs = {}, apiBaseUrl, headers } = definition
  const check = authMethod.check ?? definition.check
  const identity = authMethod.identity ?? definition.identity
  const available = new Set([
    ...Object.keys({ ...inputs, ...authMethod.fields }),
    ...getLaterNames(definition, authType),
  ])
  const templates = [
    authMethod.apiBaseUrl ?? apiBaseUrl,
    headers,
    check,
    requestTemplate(identity),
    getFacts(definition, authType).map(factRequest),
    authMethod.credentials,
    authMethod.templates,
    authMethod.urls,
    authMethod.spec.refresh_params,
    JSON.stringify(authMethod.spec['x-renew'] ?? {}).replaceAll('${client_secret}', ''),
  ]
  const usedNames = findPlaceholderNames(templates)
  const unknown = [...usedNames].filter((name) => !available.has(name))
  // Fields that functions use cannot be determined.
  const hasFunctions = [check, identity, headers, definition.connected].some(
    (each) => typeof each === 'function',
  )
  const usedBefore = findPlaceholderNames(authMethod.spec)
  const unusedFields = Object.keys(authMethod.fields).filter(
    (name) => !usedNames.has(name) && !usedBefore.has(name),
  )
  return [
    ...unknown.map((name) => `\${${name}} has no value.`),
    ...(hasFunctions ? [] : unusedFields.map((name) => `the field ${name} is not used.`)),
    ...lintHeaders(definition, authMethod),
    ...lintCheck(check),
    ...lintRules(definition, check),
  ]
}

/** Lints headers that cannot be sent, and credentials that are not secret. */
function lintHeaders({ headers }: Definition, { credentials, fields, spec }: AuthMethod): string[] {
  const customHeaders = typeof headers === 'function' ? {} : headers
  const names = Object.keys({ ...customHeaders, ...credentials.headers })
  const usesCredentials =
    findPlaceholderNames(credentials).size > 0 &&
    spec.authorization_url === undefined &&
    spec.discovery === undefined
  return [
    ...names
      .filter((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      .map((name) => `"${name}" is not a valid header name.`),
    ...(usesCredentials && !Object.values(fields).some(isSecretField)
      ? ['none of its fields is secret: declare the credential with secret(…).']
      : []),
  ]
}

/** The result omits the names that the response defines. */
function requestTemplate(identity: Definition['identity']): unknown {
  if (typeof identity !== 'object') return undefined
  const { id: _id, label: _label, avatarUrl: _avatarUrl, ...request } = identity
  return request
}

/** Value and label name values of the response. */
function factRequest({ label: _label, value: _value, ...request }: DeclaredFact): unknown {
  return request
}

/** Lints facts: names that mean something else, and facts that nothing finds. */
function lintFacts(definition: Definition, authType: string, { fields }: AuthMethod): string[] {
  const facts = getFacts(definition, authType)
  const all = { ...definition.inputs, ...fields }
  return facts.flatMap(({ name, path, claim, list, value, pick }, at) => {
    const rules: [boolean, string][] = [
      [FACT_NAME.test(name), 'needs a name of letters, digits and _.'],
      [!Object.hasOwn(all, name), 'has the name of a field.'],
      [!RESERVED_FACTS.test(name), 'has a name that may stand for a credential.'],
      [facts.findIndex((each) => each.name === name) === at, 'is declared twice.'],
      [path === undefined || claim === undefined, 'has both a request and a claim.'],
      [
        path !== undefined || claim !== undefined || definition.connected !== undefined,
        'has neither a request nor a claim.',
      ],
      [path === undefined || value !== undefined, 'needs the path of its value.'],
      [
        list !== undefined || pick === undefined || (path ?? claim) === undefined,
        'has a pick without a list.',
      ],
    ]
    return rules.filter(([isValid]) => !isValid).map(([, message]) => `the fact ${name} ${message}`)
  })
}

const FACT_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
/** As the server has it for parameters of the callback. */
const RESERVED_FACTS =
  /token|secret|password|assertion|jwt|api_?key|^(?:authtype|client_id|code|error|error_description|error_uri|iss|redirect_uri|request|request_uri|response|scopes?|state)$/i

function findPlaceholderNames(value: unknown): ReadonlySet<string> {
  const found = (JSON.stringify(value) ?? '').matchAll(/\$\{([^}]*)\}/g)
  return new Set([...found].map(([, name = '']) => name))
}

function lintRules(definition: Definition, check: Definition['check']): string[] {
  const fields = getAllFields(definition)
  const rules = typeof check === 'object' ? (check.errors ?? []) : []
  return rules
    .flatMap(({ field }) => (field === undefined || fields.has(field) ? [] : [field]))
    .map((field) => `a rule points to ${field}, which is not a field.`)
}

function getAllFields({ auth, inputs = {} }: Definition): ReadonlySet<string> {
  const names = Object.values(auth).flatMap(({ fields }) => Object.keys(fields))
  return new Set([...names, ...Object.keys(inputs)])
}

/** Lints a declared check: requests that cannot be sent, rules that match everything. */
function lintCheck(check: Definition['check']): string[] {
  if (typeof check === 'function') return []
  const { path, method = 'GET', body, form, errors = [] }: DeclaredCheck = check
  const hasBody = body !== undefined || form !== undefined
  const rules: [boolean, string][] = [
    [typeof path === 'string', 'check needs a path.'],
    [/^[A-Z]+$/.test(method), `check has the invalid method "${method}".`],
    [
      body === undefined || form === undefined,
      'check has both a body and a form: use one of them.',
    ],
    [
      !hasBody || check.method === undefined || !/^(?:GET|HEAD)$/.test(method),
      `check sends a body with ${method}: use POST, or omit the method.`,
    ],
    [
      errors.every(({ status, match, headers }) => status ?? match ?? headers),
      'a rule matches every response: add a status, a match or headers.',
    ],
  ]
  return rules.filter(([isValid]) => !isValid).map(([, message]) => message)
}

/** Limits of the server: a spec beyond them is rejected. */
const MAX_LABELS = 100
const MAX_LENGTH = 200

/** Lints the labels of scopes: limits, empty texts, and requested scopes that would be shown by their name. */
function lintScopeLabels({ spec, scopes }: AuthMethod): string[] {
  const { 'x-scope-labels': labels, 'x-i18n': i18n = {} } = spec
  const unlabelled = (scopes?.names ?? []).filter(
    (scope) => !TECHNICAL_SCOPES.has(scope) && !Object.hasOwn(labels ?? {}, scope),
  )
  return [
    ...(labels === undefined ? [] : lintLabels('scopeLabels', labels)),
    ...(labels === undefined ? [] : unlabelled.map((scope) => `scope ${scope} has no label.`)),
    ...Object.entries(i18n).flatMap(([language, texts]) => [
      ...(/^[a-z]{2,3}$/.test(language)
        ? []
        : [`i18n.${language} is not a language such as de or pt.`]),
      ...lintLabels(`i18n.${language}`, texts['x-scope-labels'] ?? {}),
    ]),
  ]
}

function lintLabels(name: string, labels: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(labels)
  return [
    ...(entries.length <= MAX_LABELS ? [] : [`${name} has more than ${MAX_LABELS} scopes.`]),
    ...entries
      .filter(([scope, label]) => scope === '' || label.trim() === '')
      .map(([scope]) => `${name} has an empty text for scope "${scope}".`),
    ...entries
      .filter(([scope, label]) => Math.max(scope.length, label.length) > MAX_LENGTH)
      .map(([scope]) => `${name} has more than ${MAX_LENGTH} characters for scope ${scope}.`),
  ]
}

/** Lints the steps with which an OAuth app is created: the limits of the server. */
function lintAppSetup({ spec }: AuthMethod): string[] {
  const steps = spec['x-app-setup'] ?? []
  return [
    ...(steps.length <= MAX_STEPS ? [] : [`appSetup has more than ${MAX_STEPS} steps.`]),
    ...(steps.every((step) => step.trim() !== '') ? [] : ['appSetup has an empty step.']),
    ...steps.flatMap((step, at) =>
      step.length <= MAX_STEP_LENGTH
        ? []
        : [`appSetup has more than ${MAX_STEP_LENGTH} characters in step ${at + 1}.`],
    ),
  ]
}

const MAX_STEPS = 10
const MAX_STEP_LENGTH = 300

/** Scopes of the protocol that the connect page shows only with a label. */
const TECHNICAL_SCOPES: ReadonlySet<string> = new Set([
  'oauth',
  'offline',
  'offline_access',
  'openid',
  'refresh_token',
])
