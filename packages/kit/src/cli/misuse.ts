/** A command line that cannot be understood. */
export class Misuse extends Error {}
