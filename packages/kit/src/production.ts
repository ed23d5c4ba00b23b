// Imported first by every process: libraries that ask NODE_ENV get `production` unless the operator set another value.
// Muster itself never reads it. What a process does differently is asked for by a setting of its own name.
process.env.NODE_ENV ??= 'production'
