/** The colours that one accent gives to a page in one theme, as `#rrggbb`. */
export interface AccentColours {
  /** The ground of the primary button. */
  readonly fill: string
  /** Text on it: at least 4.5:1. */
  readonly onFill: string
  /** Links, marks and the focus ring: at least 4.5:1 on card, ground and fields of the theme. */
  readonly text: string
}

/** The accent of a page whose workspace has none. */
export const DEFAULT_ACCENT = '#2f5bd8'

/**
 * Fits an accent colour to both themes. Its hue stays; it is made darker or lighter step by step, only as far as text
 * needs to be read (WCAG 2.2, 1.4.3) and the button needs to be seen. Anything that is not `#rrggbb` or `#rgb` gives the
 * default.
 */
export function contrastSafeAccent(hex: string | undefined): {
  light: AccentColours
  dark: AccentColours
} {
  const colour = parse(hex ?? '') ?? (parse(DEFAULT_ACCENT) as Colour)
  return { light: fitToTheme(colour, LIGHT), dark: fitToTheme(colour, DARK) }
}

/** The contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(left: string, right: string): number {
  return ratio(parse(left) ?? BLACK, parse(right) ?? BLACK)
}

type Colour = readonly [red: number, green: number, blue: number]

interface ThemeSurfaces {
  /** The ground of the card in styles/tokens.css. */
  readonly card: Colour
  /** Others that accent text stands on. */
  readonly backgrounds: readonly Colour[]
  /** Where to go when contrast is missing. */
  readonly contrastTarget: Colour
  /** How far the button stands out from the card. */
  readonly fillContrast: number
  /** The button of a brand without a hue that would be lost on the card. */
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

/** Greys made lighter look switched off: black brands turn white in the dark, white ones black in the light. */
function isGrey(colour: Colour): boolean {
  return Math.max(...colour) - Math.min(...colour) < 24
}

/** White where it can be read, as most brands have it. */
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
