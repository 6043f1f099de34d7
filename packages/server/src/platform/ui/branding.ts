import type { Language } from '../i18n/language.ts'
import { type LocalizedText, t } from '../i18n/localized-text.ts'
import { type Html, html } from './html.ts'

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

/** The colors derived from an accent for one theme, as `#rrggbb`. */
export interface AccentColours {
  /** Background of the primary button. */
  readonly fill: string
  /** Text on `fill`, with a contrast of at least 4.5:1. */
  readonly onFill: string
  /** Links, marks and the focus ring, with at least 4.5:1 on the card, background and fields of the theme. */
  readonly text: string
}

/** The default accent. */
export const DEFAULT_ACCENT = '#2f5bd8'

/**
 * Adapts an accent color to both themes. The hue is preserved; the color is darkened or lightened until text is readable
 * (WCAG 2.2, 1.4.3) and the button is distinguishable. Anything but `#rrggbb` or `#rgb` returns the default.
 */
export function toContrastSafeAccent(hex: string | undefined): {
  light: AccentColours
  dark: AccentColours
} {
  const colour = parse(hex ?? '') ?? (parse(DEFAULT_ACCENT) as Colour)
  return { light: fitToTheme(colour, LIGHT), dark: fitToTheme(colour, DARK) }
}

/** The style element that sets the accent colors of a page. They are computed, so it contains no user input. */
export function accentStyle(accent: string | undefined, nonce: string): Html {
  const { light, dark } = toContrastSafeAccent(accent)
  return html`<style nonce="${nonce}">:root{--light-fill:${light.fill};--light-on-fill:${light.onFill};--light-accent:${light.text};--dark-fill:${dark.fill};--dark-on-fill:${dark.onFill};--dark-accent:${dark.text}}</style>`
}

/** The contrast ratio of two colors `#rrggbb`, 1 to 21 (WCAG 2.2). */
export function contrast(left: string, right: string): number {
  return ratio(parse(left) ?? BLACK, parse(right) ?? BLACK)
}

type Colour = readonly [red: number, green: number, blue: number]

interface ThemeSurfaces {
  /** Background of the card in styles/tokens.css. */
  readonly card: Colour
  /** Other backgrounds of accent text. */
  readonly backgrounds: readonly Colour[]
  /** The direction in which contrast increases. */
  readonly contrastTarget: Colour
  /** Minimum contrast of the button to the card. */
  readonly fillContrast: number
  /** Button color for a gray accent without enough contrast to the card. */
  readonly neutralFill: Colour
}

const BLACK: Colour = [0, 0, 0]
const WHITE: Colour = [255, 255, 255]
const INK: Colour = [16, 18, 24]
const LIGHT: ThemeSurfaces = {
  card: WHITE,
  backgrounds: [[238, 240, 244]],
  contrastTarget: BLACK,
  fillContrast: 1.4,
  neutralFill: INK,
}
const DARK: ThemeSurfaces = {
  card: [24, 28, 35],
  backgrounds: [[42, 48, 60]],
  contrastTarget: WHITE,
  fillContrast: 2,
  neutralFill: [236, 238, 242],
}

function fitToTheme(
  colour: Colour,
  { card, backgrounds, contrastTarget, fillContrast, neutralFill }: ThemeSurfaces,
): AccentColours {
  const isIndistinct = isGrey(colour) && ratio(colour, card) < fillContrast
  const fill = shiftUntil(
    isIndistinct ? neutralFill : colour,
    contrastTarget,
    (one) => ratio(one, card) >= fillContrast && ratio(one, getReadableTextColour(one)) >= 4.5,
  )
  const text = shiftUntil(colour, contrastTarget, (one) =>
    [card, ...backgrounds].every((background) => ratio(one, background) >= 4.5),
  )
  return { fill: toHex(fill), onFill: toHex(getReadableTextColour(fill)), text: toHex(text) }
}

/** Lightened grays look disabled: black accents become white in the dark theme, white ones black in the light theme. */
function isGrey(colour: Colour): boolean {
  return Math.max(...colour) - Math.min(...colour) < 24
}

/** White if it is readable, as most brands use it. */
function getReadableTextColour(fill: Colour): Colour {
  return ratio(WHITE, fill) >= 4.5 ? WHITE : INK
}

function shiftUntil(colour: Colour, to: Colour, isSufficient: (colour: Colour) => boolean): Colour {
  for (let step = 0; step < 50; step += 1) {
    const part = step / 50
    const one = colour.map((value, index) =>
      Math.round(value + ((to[index] ?? 0) - value) * part),
    ) as unknown as Colour
    if (isSufficient(one)) return one
  }
  return to
}

function ratio(left: Colour, right: Colour): number {
  const [high, low] = [luminance(left), luminance(right)].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function parse(hex: string): Colour | undefined {
  const sixDigits = /^#[0-9a-f]{3}$/i.test(hex) ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(sixDigits) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

function toHex(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
