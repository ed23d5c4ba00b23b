import type { Log } from './log.ts'

/** A part of a process with a life of its own. `drain` takes no new work, `stop` lets go of everything. */
export interface Service {
  readonly name: string
  run(): Promise<void>
  drain(): Promise<void>
  stop(): Promise<void>
}

const stopMs = 10_000

/**
 * Starts the services in order and stops them in reverse on SIGTERM, SIGINT or the loss of the parent.
 * A second signal ends the process at once.
 * @param info what a supervising parent is told once all run
 * @param lastWords what the process logs about itself when an unhandled fault ends it
 */
export async function runProcess(
  name: string,
  services: readonly Service[],
  log: Log,
  info: () => object = () => ({}),
  lastWords: () => object = () => ({}),
) {
  const running: Service[] = []
  let stopping = false

  const shutDown = async (why: string, exitCode: number) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ why }, `${name} stops`)
    const overdue = setTimeout(() => {
      log.error(`${name} did not stop within ${stopMs} ms`)
      process.exit(1)
    }, stopMs)
    const reversed = running.toReversed()
    let failed = false
    for (const phase of ['drain', 'stop'] as const) {
      for (const service of reversed) {
        await service[phase]().catch((error: unknown) => {
          failed = true
          log.error({ err: error, service: service.name }, `${phase} failed`)
        })
      }
    }
    clearTimeout(overdue)
    log.info(`${name} stopped`)
    process.exit(failed ? 1 : exitCode)
  }

  process.on('SIGTERM', () => void shutDown('SIGTERM', 0))
  process.on('SIGINT', () => void shutDown('SIGINT', 0))
  process.on('disconnect', () => void shutDown('the supervising process is gone', 0))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error, ...lastWords() }, 'uncaught exception')
    process.exit(70)
  })

  for (const service of services) {
    try {
      await service.run()
    } catch (error) {
      log.fatal(
        { err: error, service: service.name },
        `${name} cannot start: ${error instanceof Error ? error.message : error}`,
      )
      process.exit(1)
    }
    running.push(service)
  }
  log.info(info(), `${name} runs`)
  process.send?.({ ready: true, ...info() })
}
