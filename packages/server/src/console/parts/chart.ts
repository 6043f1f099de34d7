import { type Html, html } from '../../platform/ui/html.ts'

export interface Sparkline {
  /** One of each step; the last step is not over. */
  readonly values: readonly number[]
  /** What people learn who do not see it. */
  readonly label: string
  readonly tone?: 'bad' | undefined
}

/** Counts as bars, one for each step. Those of the last step are lighter. */
export function sparkline({ values, label, tone }: Sparkline): Html {
  const highest = Math.max(1, ...values)
  const bars = values.map((value, index) => {
    const height = value === 0 ? 0 : Math.max(MIN_HEIGHT, (value / highest) * HEIGHT)
    return height === 0 ? '' : `M${index} ${HEIGHT}v-${round(height)}h${WIDTH}v${round(height)}z`
  })
  return html`<svg class="spark ${tone}" viewBox="0 0 ${values.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="base" d="M0 ${HEIGHT}H${values.length}"/><path d="${bars.slice(0, -1).join('')}"/><path class="open" d="${bars.at(-1)}"/></svg>`
}

/** How large a part is, as a bar beside the number that says it. */
export function shareBar(part: number, whole: number, tone?: 'bad' | undefined): Html {
  const width = whole === 0 ? 0 : round(Math.min(1, part / whole) * 100)
  return html`<svg class="portion ${tone}" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><path class="base" d="M0 0h100v4H0z"/><path d="M0 0h${width}v4H0z"/></svg>`
}

const HEIGHT = 24
/** Of a bar; the rest of a step is a gap. */
const WIDTH = 0.8
/** Of a count that would be too small to be seen. */
const MIN_HEIGHT = 1.5

const round = (value: number) => Math.round(value * 10) / 10
