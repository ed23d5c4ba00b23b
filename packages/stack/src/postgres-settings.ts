import { totalmem } from 'node:os'

/** Settings for this machine. They are on the command line, so that a data folder is independent of the machine. */
export function postgresSettings(durable: boolean): string[] {
  const memoryMiB = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20
  const share = (part: number, least: number, most: number) =>
    `${Math.round(Math.min(most, Math.max(least, memoryMiB * part)))}MB`
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // Reserved for our own logins, in case other programs use all connections.
    reserved_connections: '60',
    shared_buffers: durable ? share(1 / 8, 128, 2048) : share(1 / 16, 64, 256),
    effective_cache_size: share(1 / 2, 256, 16_384),
    maintenance_work_mem: share(1 / 64, 32, 512),
    work_mem: share(1 / 1024, 4, 16),
    wal_buffers: '16MB',
    // Fewer, spread-out checkpoints: only the first change of a page between them writes the whole page to the log.
    checkpoint_timeout: '15min',
    checkpoint_completion_target: '0.9',
    max_wal_size: '4GB',
    min_wal_size: durable ? '512MB' : '80MB',
    wal_compression: 'on',
    random_page_cost: '1.1',
    jit: 'off',
    autovacuum_naptime: '15s',
    idle_in_transaction_session_timeout: '60s',
    log_line_prefix: '%m [%p] ',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_checkpoints: 'off',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
