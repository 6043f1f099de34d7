/**
 * A `${name}` of a spec that the config cannot fill, or a template that is not one. `field` names the config field;
 * undefined means that the spec itself is at fault. The message never repeats a value.
 */
export class TemplateError extends Error {
  readonly field: string | undefined

  constructor(field: string | undefined, problem: string) {
    super(field === undefined ? `The spec ${problem}.` : `${field} ${problem}.`)
    this.name = 'TemplateError'
    this.field = field
  }
}
