const gib = 2 ** 30

/** The figures that the references store, in a realistic order of magnitude. */
export const figureValues: Readonly<Record<string, number>> = {
  cpu_percent: 12.5,
  memory_used: 7.5 * gib,
  memory_total: 16 * gib,
  disk_used: 150 * gib,
  disk_total: 512 * gib,
  load_1m: 0.75,
  uptime_seconds: 123_456,
  network_rx_bytes: 21 * gib,
  network_tx_bytes: 14 * gib,
  process_count: 241,
}
