/** A line for the operator: plain on a terminal, a JSON line where a log collector listens. */
export function print(message: string): void {
  if (process.stdout.isTTY) console.log(message)
  else console.log(JSON.stringify({ level: 'info', time: new Date().toISOString(), msg: message }))
}
