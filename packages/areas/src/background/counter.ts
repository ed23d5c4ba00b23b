/** A figure that an area counts in workers. It is published as `muster_worker_<name>`. */
export interface Counter<Label extends string = string> {
  readonly name: string
  readonly help: string
  readonly labels: readonly Label[]
}

export const counter = <const Label extends string>(
  name: string,
  help: string,
  labels: readonly Label[],
): Counter<Label> => ({ name, help, labels })
