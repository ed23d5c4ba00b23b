/** A figure that an area measures in workers. It is published as `muster_worker_<name>`. */
export interface Gauge {
  readonly name: string
  readonly help: string
}

export const gauge = (name: string, help: string): Gauge => ({ name, help })
