using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;

// Checks the Ed25519 signatures (RFC 8032) of a release. Windows PowerShell 5.1 has no function for it.
public static class ReleaseSignature
{
    private const string PemBegin = "-----BEGIN PUBLIC KEY-----";
    private const string PemEnd = "-----END PUBLIC KEY-----";
    private static readonly byte[] SpkiPrefix = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };

    private static readonly BigInteger P = BigInteger.Pow(2, 255) - 19;
    private static readonly BigInteger Order =
        BigInteger.Pow(2, 252) + BigInteger.Parse("27742317777372353535851937790883648493", CultureInfo.InvariantCulture);
    private static readonly BigInteger D = Mod(-121665 * Inverse(121666));
    private static readonly BigInteger RootOfMinusOne = BigInteger.ModPow(2, (P - 1) / 4, P);
    private static readonly Point Base = BasePoint();
    private static readonly Point Neutral = new Point(BigInteger.Zero, BigInteger.One);

    // Extended coordinates: x = X/Z, y = Y/Z, xy = T/Z.
    private sealed class Point
    {
        public readonly BigInteger X, Y, Z, T;

        public Point(BigInteger x, BigInteger y) : this(x, y, BigInteger.One, Mod(x * y)) { }

        public Point(BigInteger x, BigInteger y, BigInteger z, BigInteger t)
        {
            X = x;
            Y = y;
            Z = z;
            T = t;
        }
    }

    // The public keys in a PEM text, 32 bytes each. A key of another kind is an error.
    public static List<byte[]> Keys(string pem)
    {
        var keys = new List<byte[]>();
        var at = pem.IndexOf(PemBegin, StringComparison.Ordinal);
        while (at >= 0)
        {
            var from = at + PemBegin.Length;
            var end = pem.IndexOf(PemEnd, from, StringComparison.Ordinal);
            if (end < 0) throw new FormatException("a public key has no end");
            var der = Convert.FromBase64String(pem.Substring(from, end - from));
            if (der.Length != SpkiPrefix.Length + 32) throw new FormatException("a public key is not an Ed25519 key");
            for (var index = 0; index < SpkiPrefix.Length; index++)
                if (der[index] != SpkiPrefix[index]) throw new FormatException("a public key is not an Ed25519 key");
            keys.Add(Slice(der, SpkiPrefix.Length, 32));
            at = pem.IndexOf(PemBegin, end, StringComparison.Ordinal);
        }
        return keys;
    }

    // How many of the keys have signed the message. The signatures follow each other, 64 bytes each.
    public static int Signers(byte[] message, byte[] signatures, string pem)
    {
        var signers = 0;
        var seen = new HashSet<string>();
        foreach (var key in Keys(pem))
        {
            // The same key twice counts once.
            if (!seen.Add(Convert.ToBase64String(key))) continue;
            for (var at = 0; at + 64 <= signatures.Length && at < 32 * 64; at += 64)
            {
                if (!Verify(key, message, Slice(signatures, at, 64))) continue;
                signers++;
                break;
            }
        }
        return signers;
    }

    // The SHA-256 that a list of checksums has for a file; null without one.
    public static string HashOf(byte[] sums, string file)
    {
        foreach (var line in Encoding.ASCII.GetString(sums).Split('\n'))
            if (line.Length == 66 + file.Length && line.EndsWith("  " + file, StringComparison.Ordinal))
                return line.Substring(0, 64);
        return null;
    }

    public static bool Verify(byte[] key, byte[] message, byte[] signature)
    {
        if (key.Length != 32 || signature.Length != 64) return false;
        var a = Decode(key);
        var s = Number(Slice(signature, 32, 32));
        // A signature with S + Order would be a second one for the same message.
        if (a == null || s >= Order) return false;
        var r = Slice(signature, 0, 32);
        byte[] digest;
        using (var sha512 = SHA512.Create())
        {
            sha512.TransformBlock(r, 0, 32, null, 0);
            sha512.TransformBlock(key, 0, 32, null, 0);
            sha512.TransformFinalBlock(message, 0, message.Length);
            digest = sha512.Hash;
        }
        var minusA = new Point(Mod(-a.X), a.Y);
        var expected = Encode(Add(Multiply(Base, s), Multiply(minusA, Number(digest) % Order)));
        for (var index = 0; index < 32; index++)
            if (expected[index] != r[index]) return false;
        return true;
    }

    private static Point BasePoint()
    {
        var y = Mod(4 * Inverse(5));
        return new Point(XOf(y, false).Value, y);
    }

    // Null for bytes that are no point, or not the only encoding of one.
    private static Point Decode(byte[] bytes)
    {
        var copy = Slice(bytes, 0, 32);
        var isOdd = (copy[31] & 0x80) != 0;
        copy[31] &= 0x7f;
        var y = Number(copy);
        if (y >= P) return null;
        var x = XOf(y, isOdd);
        return x.HasValue ? new Point(x.Value, y) : null;
    }

    private static BigInteger? XOf(BigInteger y, bool isOdd)
    {
        var square = Mod(y * y);
        var wanted = Mod((square - 1) * Inverse(D * square + 1));
        var x = BigInteger.ModPow(wanted, (P + 3) / 8, P);
        if (Mod(x * x) != wanted) x = Mod(x * RootOfMinusOne);
        if (Mod(x * x) != wanted) return null;
        if (x.IsZero && isOdd) return null;
        return !x.IsEven == isOdd ? x : P - x;
    }

    private static byte[] Encode(Point point)
    {
        var inverse = Inverse(point.Z);
        var x = Mod(point.X * inverse);
        var y = Mod(point.Y * inverse).ToByteArray();
        var bytes = new byte[32];
        Array.Copy(y, bytes, Math.Min(y.Length, 32));
        if (!x.IsEven) bytes[31] |= 0x80;
        return bytes;
    }

    private static Point Add(Point one, Point other)
    {
        var a = Mod((one.Y - one.X) * (other.Y - other.X));
        var b = Mod((one.Y + one.X) * (other.Y + other.X));
        var c = Mod(2 * D * one.T * other.T);
        var d = Mod(2 * one.Z * other.Z);
        BigInteger e = b - a, f = d - c, g = d + c, h = b + a;
        return new Point(Mod(e * f), Mod(g * h), Mod(f * g), Mod(e * h));
    }

    private static Point Multiply(Point point, BigInteger times)
    {
        var sum = Neutral;
        for (; !times.IsZero; times >>= 1)
        {
            if (!times.IsEven) sum = Add(sum, point);
            point = Add(point, point);
        }
        return sum;
    }

    private static BigInteger Mod(BigInteger value)
    {
        var rest = value % P;
        return rest.Sign < 0 ? rest + P : rest;
    }

    private static BigInteger Inverse(BigInteger value)
    {
        return BigInteger.ModPow(Mod(value), P - 2, P);
    }

    // Bytes with the lowest first, as a number without sign.
    private static BigInteger Number(byte[] bytes)
    {
        var unsigned = new byte[bytes.Length + 1];
        Array.Copy(bytes, unsigned, bytes.Length);
        return new BigInteger(unsigned);
    }

    private static byte[] Slice(byte[] bytes, int from, int length)
    {
        var slice = new byte[length];
        Array.Copy(bytes, from, slice, 0, length);
        return slice;
    }
}
