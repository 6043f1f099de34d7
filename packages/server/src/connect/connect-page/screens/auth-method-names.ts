import { translateCommonLabel } from '../../../platform/i18n/common-labels.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import type { IntegrationOption } from '../integration-offer.ts'
import type { PageContext } from '../page/page-context.ts'

export interface NamedAuthMethod {
  readonly authMethod: AuthMethod
  readonly name: Text
  /** Distinguishes it from another with the same name; else empty. */
  readonly label: string
}

/** The available auth methods of an integration with their display names. */
export function nameAuthMethods(
  page: PageContext,
  { available, definition }: IntegrationOption,
): NamedAuthMethod[] {
  const names = available.map((authMethod) => getMethodName(page, definition.name, authMethod))
  const texts = names.map(String)
  // Names that several methods share.
  const lastIndexByText = new Map(texts.map((text, index) => [text, index]))
  const ambiguousNames = new Set(texts.filter((text, index) => lastIndexByText.get(text) !== index))
  return available.map((authMethod, index) => ({
    authMethod,
    name: names[index] ?? '',
    label: ambiguousNames.has(texts[index] ?? '') ? getSpecLabel(authMethod) : '',
  }))
}

/** The display name of an auth method: common names of specs are translated, any other is shown unchanged. */
function getMethodName(
  { messages: { auth }, language }: PageContext,
  tool: string,
  authMethod: AuthMethod,
): Text {
  if (authMethod.kind === 'sign_in') return auth.signIn({ tool })
  if (/^api[\s_-]*key$/i.test(authMethod.authType)) return auth.apiKey
  if (/^(?:(?:personal|api)[\s_-]*)?(?:access[\s_-]*)?token$/i.test(authMethod.authType))
    return auth.token
  if (/^basic(?:[\s_-]*auth)?$|^password$/i.test(authMethod.authType)) return auth.password
  return auth.other({
    label: translateCommonLabel(language, authMethod.authType) ?? authMethod.authType,
  })
}

/** Distinguishes methods with the same display name: the spec's name, without "OAuth". */
function getSpecLabel({ authType, kind }: AuthMethod): string {
  return kind === 'sign_in'
    ? authType.replace(/^o-?auth[\s_-]*(?:2(?:\.0)?)?[\s_-]*/i, '').replace(/^\((.*)\)$/, '$1')
    : authType
}
