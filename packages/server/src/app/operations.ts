import { LINK_OPERATIONS } from '../connect/links/operations.ts'

/** Every operation of the API: the OpenAPI document, the SDK, the command line and the generated tests come from this list. */
export const OPERATIONS = [...LINK_OPERATIONS]
