import { post } from '../bindings/post.js'

const writing = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'dirxml', 'table']
const silent = ['group', 'groupCollapsed', 'groupEnd', 'time', 'clear', 'countReset', 'profile']
const counting = ['count', 'timeEnd', 'timeLog', 'timeStamp', 'profileEnd']

/** A console that only counts: its arguments are never looked at, since credentials end up in them. */
export class Console {
  constructor() {
    for (const name of [...writing, ...counting]) this[name] = () => void post('log', 0)
    for (const name of silent) this[name] = () => {}
    this.assert = (holds) => void (holds || post('log', 0))
  }
}

export const console = Object.assign(new Console(), { Console })
