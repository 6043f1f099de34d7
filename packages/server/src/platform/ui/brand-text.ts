import type { Language } from '../i18n/language.ts'
import { type LocalizedText, t } from '../i18n/localized-text.ts'

/** A text of a workspace: `default`, and translations by language. */
export type BrandText = { readonly default: string } & {
  readonly [Name in Language]?: string
}

/** A text of a workspace in the language of the page, isolated, because it may run in either direction. */
export function localizeBrandText(
  text: BrandText | undefined,
  language: Language,
): LocalizedText | undefined {
  return text && t`${text[language] ?? text.default}`
}
