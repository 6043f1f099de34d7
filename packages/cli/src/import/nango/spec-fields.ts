/** An auth type of a spec, as the import sees it. */
export interface AuthType {
  readonly name: string
  /** Whether people sign in at the provider. */
  readonly isOAuth: boolean
  readonly fields: ReadonlySet<string>
  /** Fields that have no default. */
  readonly required: ReadonlySet<string>
  /** The values that fields allow. */
  readonly options: ReadonlyMap<string, readonly unknown[]>
  /** Names in the URLs of the spec, of fields or of what the provider returns, such as `instance_url`. */
  readonly templateNames: ReadonlySet<string>
  /** Fields that select the host or the region of the account. */
  readonly locations: ReadonlySet<string>
}

/** The auth types of a spec, in its order. */
export function listAuthTypes(spec: Readonly<Record<string, unknown>>): AuthType[] {
  const { auth_specification, other_inputs, api_base_url } = spec as SpecPart
  return Object.entries(auth_specification ?? {}).map(([name, auth]) => {
    const inputs = [auth.input_specification, other_inputs?.input_specification]
    const fields = new Set(inputs.flatMap((one) => Object.keys(one?.properties ?? {})))
    const urls = [api_base_url, ...URL_MEMBERS.map((member) => auth[member])]
    const templateNames = new Set([
      ...urls.flatMap(listNames),
      ...(Array.isArray(auth.callback_params) ? auth.callback_params.map(String) : []),
    ])
    return {
      name,
      isOAuth: Boolean(auth.authorization_url && auth.token_url),
      fields,
      required: new Set(inputs.flatMap((one) => listRequired(one, auth.callback_params))),
      options: new Map(
        inputs.flatMap((one) =>
          Object.entries(one?.properties ?? {}).flatMap(([field, property]) =>
            Array.isArray(property?.enum) ? [[field, property.enum] as const] : [],
          ),
        ),
      ),
      templateNames,
      locations: new Set(
        [...fields].filter((field) => templateNames.has(field) || looksLikeLocation(field)),
      ),
    }
  })
}

interface SpecPart {
  readonly auth_specification?: Readonly<Record<string, AuthPart>>
  readonly other_inputs?: AuthPart
  readonly api_base_url?: unknown
}
interface AuthPart extends Readonly<Record<string, unknown>> {
  readonly input_specification?: Inputs
}
interface Inputs {
  readonly properties?: Readonly<Record<string, { enum?: unknown; default?: unknown } | undefined>>
  readonly required?: readonly string[]
}

const listRequired = (inputs: Inputs | undefined, callbackParams: unknown) =>
  (inputs?.required ?? []).filter(
    (field) =>
      inputs?.properties?.[field]?.default === undefined &&
      !(Array.isArray(callbackParams) && callbackParams.includes(field)),
  )

const URL_MEMBERS = [
  'api_base_url',
  'authorization_url',
  'token_url',
  'refresh_url',
  'revocation_url',
  'pushed_authorization_request_url',
]

const listNames = (url: unknown) =>
  typeof url === 'string' ? [...url.matchAll(/\$\{([^}]+)\}/g)].map((match) => match[1] ?? '') : []

/** Whether a setting may say where an account is: by its name, or because its value is a host or a URL. */
export function looksLikeLocation(name: string, value?: string): boolean {
  return LOCATION_NAME.test(name) || (value !== undefined && HOST_OR_URL.test(value))
}

const LOCATION_NAME =
  /region|host|domain|server|site|extension|data.?cent|^dc$|environment|^env$|instance|url|uri|shop|store|tenant|zone|cluster|location|edition|country/i

const HOST_OR_URL = /^(https?:\/\/)?[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:\d+)?(\/\S*)?$/i
