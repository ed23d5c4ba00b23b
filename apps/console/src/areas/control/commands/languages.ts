/** The script languages that devices run. */
export const languages = [
  ['bash', 'Bash'],
  ['sh', 'POSIX shell'],
  ['python', 'Python'],
] as const
export type Language = (typeof languages)[number][0]
