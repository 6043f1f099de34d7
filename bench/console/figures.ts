import { loadavg } from 'node:os'

/** Prints the head of a table of figures as Markdown, with the load of the machine. */
export function printFigureHead(title: string): void {
  const [load = 0] = loadavg()
  console.log(`
### ${title} (load average ${load.toFixed(1)})

| figure | measured | goal | met |
|---|---|---|---|`)
}

/** A measured value and what it must not exceed. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly goal?: number
  readonly unit: string
  readonly digits?: number
  /** What else was measured. */
  readonly note?: string
}

/** Prints a figure, its goal, and whether it meets it. */
export function printFigure({ name, value, goal, unit, digits = 1, note }: Figure): void {
  const measured = `${value.toFixed(digits)}${unit}${note === undefined ? '' : ` (${note})`}`
  const limit = goal === undefined ? '–' : `≤ ${goal}${unit}`
  const met = goal === undefined ? '–' : value <= goal ? 'yes' : '**no**'
  console.log(`| ${name} | ${measured} | ${limit} | ${met} |`)
}
