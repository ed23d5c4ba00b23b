// Loaded before a process of ours in tests: on SIGUSR2 the process does to itself what FAULT_FILE says.
import { readFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  const fault = readFileSync(process.env.FAULT_FILE, 'utf8')
  if (fault === 'hang') for (;;);
  if (fault === 'reject') Promise.reject(new Error('a fault that nobody handles'))
  // In steps, like work on ever more rows: it takes a while before there is no more room.
  const moment = new Int32Array(new SharedArrayBuffer(4))
  if (fault === 'allocate') for (const all = []; ; Atomics.wait(moment, 0, 0, 6)) all.push(new Array(100_000).fill({}))
})
