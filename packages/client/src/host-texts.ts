import { HOST_TEXTS } from './host-text-table.ts'

/** Texts that are shown while the page is not loaded. */
export interface HostTexts {
  readonly title: string
  readonly loading: string
  readonly failed: string
  /** The page cannot be shown here: retrying does not help. */
  readonly notAllowed: string
  readonly close: string
}

const TEXTS: Readonly<Record<string, HostTexts>> = HOST_TEXTS

/** The texts in the requested language, otherwise in the browser's, otherwise in English. */
export function getHostTexts(lang: string | undefined): HostTexts & { readonly lang: string } {
  const preferred = [lang ?? '', ...navigator.languages].map((code) =>
    code.slice(0, 2).toLowerCase(),
  )
  const chosen = preferred.find((code) => Object.hasOwn(TEXTS, code)) ?? 'en'
  return { ...(TEXTS[chosen] as HostTexts), lang: chosen }
}
