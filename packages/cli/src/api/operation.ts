/** An operation of the API, and the method of the SDK that sends it. */
export interface Operation {
  readonly operationId: string
  /** `group.method` of the SDK. */
  readonly method: string
  readonly summary: string
  /** The IDs in its path, which are the first arguments of the method. */
  readonly ids: readonly string[]
  /** What the argument after the IDs is. */
  readonly input: 'query' | 'body' | 'none'
  readonly fields: readonly OperationField[]
}

/** A field of a body, or a query parameter. */
export interface OperationField {
  readonly name: string
  /** Its option on the command line, without the dashes. */
  readonly option: string
  readonly kind: 'string' | 'integer' | 'boolean' | 'list' | 'record' | 'json'
  readonly description: string
  readonly isRequired?: boolean
  /** It may hold credentials: never an argument, never printed. */
  readonly isSecret?: boolean
  /** The values that it can have, if the document lists them. */
  readonly values?: readonly string[]
}
