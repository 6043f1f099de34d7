/**
 * The substrings of one text, as a suffix automaton (Blumer et al. 1985). Building it takes time linear in the text;
 * looking up a string takes time linear in that string, however often it occurs.
 */
export class TextIndex {
  readonly #text: string
  readonly #states: State[] = [createState(0, undefined)]
  /** The state that each prefix of the text leads to, by the length of that prefix. */
  readonly #prefixes: State[] = []
  #cutLength = 0

  constructor(text: string) {
    this.#text = text
    let last = this.#root
    this.#prefixes.push(last)
    for (let at = 0; at < text.length; at++) {
      last = this.#extend(last, text.charCodeAt(at))
      this.#prefixes.push(last)
    }
    for (let state: State | undefined = last; state; state = state.link) state.isSuffix = true
  }

  /** Whether `string` occurs. Like `mark`, it marks the end of the text if the text ends inside `string`. */
  includes(string: string, minCutLength: number): boolean {
    return this.#follow(string, minCutLength) !== undefined
  }

  /**
   * Marks every occurrence of `string`, and the end of the text if the text ends inside `string`, after at least
   * `shortestCut` of its characters.
   */
  mark(string: string, minCutLength: number): void {
    const state = this.#follow(string, minCutLength)
    if (state !== undefined) state.marked = Math.max(state.marked, string.length)
  }

  /** The longest marked occurrence for each end. */
  ranges(): TextRange[] {
    // Where a string of a state ends, its suffixes end too, and they belong to the state that it links to. That state is
    // shorter, so it is complete when this one is processed.
    const byLength = this.#states.toSorted((a, b) => a.longest - b.longest)
    for (const state of byLength) state.marked = Math.max(state.marked, state.link?.marked ?? 0)
    const found = this.#prefixes.map(({ marked }, end) => ({ start: end - marked, end }))
    const { length } = this.#text
    found.push({ start: length - this.#cutLength, end: length })
    return found.filter(({ start, end }) => start < end)
  }

  get #root(): State {
    return this.#states[0] as State
  }

  #follow(string: string, minCutLength: number): State | undefined {
    let state: State | undefined = this.#root
    for (let at = 0; at < string.length && state !== undefined; at++) {
      state = state.next.get(string.charCodeAt(at))
      if (state?.isSuffix && at + 1 >= minCutLength)
        this.#cutLength = Math.max(this.#cutLength, at + 1)
    }
    return state
  }

  #extend(last: State, unit: number): State {
    const added = this.#add(createState(last.longest + 1, this.#root))
    let from: State | undefined = last
    for (; from && !from.next.has(unit); from = from.link) from.next.set(unit, added)
    const target = from?.next.get(unit)
    if (from === undefined || target === undefined) return added
    added.link = target
    if (target.longest === from.longest + 1) return added
    const split = this.#add(createState(from.longest + 1, target.link, new Map(target.next)))
    for (; from && from.next.get(unit) === target; from = from.link) from.next.set(unit, split)
    target.link = split
    added.link = split
    return added
  }

  #add(state: State): State {
    this.#states.push(state)
    return state
  }
}

/** A part of a text, from `start` to `end`, exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

interface State {
  /** Length of its longest string. */
  readonly longest: number
  readonly next: Map<number, State>
  link: State | undefined
  isSuffix: boolean
  /** Length of the longest marked string that ends wherever the strings of this state end. */
  marked: number
}

function createState(
  longest: number,
  link: State | undefined,
  next: Map<number, State> = new Map(),
): State {
  return { longest, next, link, isSuffix: false, marked: 0 }
}
