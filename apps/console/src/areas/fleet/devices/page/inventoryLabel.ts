const written: Readonly<Record<string, string>> = {
  bios: 'BIOS',
  cpu: 'CPU',
  gid: 'GID',
  id: 'ID',
  ip: 'IP',
  mac: 'MAC',
  mbps: 'Mbps',
  mhz: 'MHz',
  os: 'OS',
  dns: 'DNS',
  ram: 'RAM',
  tpm: 'TPM',
  tty: 'TTY',
  uid: 'UID',
  url: 'URL',
  uuid: 'UUID',
}

// The value itself shows its unit, and that it is a date.
const quiet = ['bytes', 'mbit', 'at']

/** The heading of a key that agents report: `cpuModel` as “CPU model”, `usedBytes` as “Used”. */
export function inventoryLabel(key: string): string {
  const words = key
    .split(/(?=[A-Z])|[_.]/)
    .map((word) => word.toLowerCase())
    .filter((word, index) => word !== '' && (index === 0 || !quiet.includes(word)))
    .map((word) => written[word] ?? word)
  const [first = '', ...rest] = words
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ')
}
