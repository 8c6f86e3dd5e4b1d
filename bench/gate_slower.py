# SPDX-License-Identifier: BSD-3-Clause
"""Changes that make the programs of bench/gate_changes slower, as people make them."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Slower:
    package: str
    title: str
    file: str = ""  # "": flags alone
    edits: tuple = ()  # pairs: a text that the file has once, and the one in its place
    routine: str = ""  # pattern of the routine whose code does more, where that is not the line
    flags: tuple = ()
    emulated: bool = False

    def apply(self, text):
        for old, new in self.edits:
            if text.count(old) != 1:
                raise RuntimeError(f"{self.title}: {self.file} has {text.count(old)} times: {old}")
            text = text.replace(old, new)
        return text


SLOWER = (
    Slower("zlib", "a remainder for every 16 bytes, not for each block", "adler32.c", (
        ("            DO16(buf);          /* 16 sums unrolled */\n", "            DO16(buf);          /* 16 sums unrolled */\n            MOD(sum2);\n"),), routine="adler32_z"),
    Slower("zlib", "no early exit where a match cannot be longer", "deflate.c", (
        ("        if (match[best_len]     != scan_end  ||\n            match[best_len - 1] != scan_end1 ||\n            *match              != *scan     ||\n            *++match            != scan[1])      continue;\n\n"
         "        /* The check at best_len - 1", "        if (*match != *scan || *++match != scan[1]) continue;\n\n        /* The check at best_len - 1"),), routine="longest_match"),
    Slower("zlib", "a hash with more collisions", "deflate.c", (("    s->hash_mask = s->hash_size - 1;", "    s->hash_mask = (s->hash_size - 1) >> 6;"),), routine="longest_match"),
    Slower("zlib", "a search in place of a table", "trees.c", (
        ("            code = d_code(dist);\n", "            for (code = 0; code + 1 < D_CODES && (unsigned)base_dist[code + 1] <= dist; code++) ;\n"),)),
    Slower("zlib", "a loop that is no vector loop any more", "deflate.c", (
        ("        *p = (Pos)(m >= wsize ? m - wsize : NIL);\n        /* If n is not", "        if (m >= wsize) *p = (Pos)(m - wsize); else if (m) *p = NIL;\n        /* If n is not"),), routine="slide_hash|fill_window"),
    Slower("zlib", "input is copied by bytes", "deflate.c", (
        ("    zmemcpy(buf, strm->next_in, len);\n", "    { volatile Bytef *to = buf; unsigned i; for (i = 0; i < len; i++) to[i] = strm->next_in[i]; }\n"),)),
    Slower("zlib", "a check of bounds in a loop that copies", "inffast.c", (
        ("                    do {                        /* minimum length is three */\n",
         "                    do {                        /* minimum length is three */\n                        if (out >= end + 257 || from < beg) break;\n"),), routine="inflate_fast"),
    Slower("bzip2", "an assertion that was for development alone", "compress.c", (
        ('      AssertD ( wr <= i, "generateMTFValues(1)" );', "      AssertH ( wr <= i, 3099 );"),), routine="generateMTFValues"),
    Slower("bzip2", "a table is made in the loop that uses it", "compress.c", (
        ("      UChar ll_i;\n", "      UChar ll_i;\n      if (i % 64 == 0) makeMaps_e ( s );\n"),), routine="makeMaps_e|generateMTFValues"),
    Slower("bzip2", "a checksum by bits, without its table", "bzlib_private.h", (
        ("   crcVar = (crcVar << 8) ^                    \\\n            BZ2_crc32Table[(crcVar >> 24) ^    \\\n                           ((UChar)cha)];      \\\n",
         "   int bit; crcVar ^= (UInt32)((UChar)cha) << 24; \\\n   for (bit = 0; bit < 8; bit++) \\\n      crcVar = (crcVar << 1) ^ (crcVar >> 31 ? 0x04c11db7u : 0); \\\n"),),
           routine="add_pair_to_block|copy_input_until_stop|handle_compress|unRLE_obuf_to_output_FAST|BZ2_bzDecompress"),
    Slower("bzip2", "a worse way to sort", "blocksort.c", (("   while (incs[hp] < bigN) hp++;\n   hp--;\n", "   (void)bigN;\n"),), routine="main(SimpleSort|GtU|Sort|QSort3)"),
    Slower("bzip2", "an allocation for each group", "compress.c", (
        ("         for (t = 0; t < nGroups; t++) cost[t] = 0;\n\n         if", "         { void *volatile room = malloc(64); free(room); }\n         for (t = 0; t < nGroups; t++) cost[t] = 0;\n\n         if"),)),
    Slower("xxhash", "a flag lost: no vectors", flags=("-DXXH_VECTOR=0",), routine="XXH3_.*"),
    Slower("xxhash", "a function that is not inlined any more", "xxhash.h", (
        ("static xxh_u64 XXH64_round(xxh_u64 acc, xxh_u64 input)\n", "__attribute__((noinline)) static xxh_u64 XXH64_round(xxh_u64 acc, xxh_u64 input)\n"),), routine="XXH64(_round|_finalize|)"),
    Slower("tinyxml2", "strings are compared before their first characters", "tinyxml2.cpp", (
        ("        if ( *p == endChar && strncmp( p, endTag, length ) == 0 ) {", "        if ( strncmp( p, endTag, length ) == 0 ) {"),)),
    Slower("tinyxml2", "a copy on the heap for each element", "tinyxml2.cpp", (
        ('    Write ( "<" );\n    Write ( name );\n\n    _elementJustOpened = true;', '    Write ( "<" );\n    char* copy = new char[strlen( name ) + 1]; strcpy( copy, name ); Write ( copy ); delete [] copy;\n\n    _elementJustOpened = true;'),)),
    Slower("tinyxml2", "an array that grows by steps, not by doubling", "tinyxml2.h", (
        ("            const int newAllocated = cap * 2;", "            const int newAllocated = cap + 2;"),), routine=".*(DynArray|MemPoolT|XMLPrinter).*"),
    Slower("tinyxml2", "text is written character by character", "tinyxml2.cpp", (
        ("        memcpy( p, data, size );\n        p[size] = 0;\n", "        for ( volatile size_t i = 0; i < size; ++i ) p[i] = data[i];\n        p[size] = 0;\n"),)),
    Slower("tinyxml2", "a search in place of a table of flags", "tinyxml2.cpp", (
        ("                if ( flag[static_cast<unsigned char>(*q)] ) {", "                if ( strchr( restricted ? \"&<>\" : \"\\\"&'<>\", *q ) ) {"),), routine=".*XMLPrinter::PrintString.*"),
    Slower("tinyxml2", "virtual calls before the name is compared", "tinyxml2.cpp", (
        ("    for( const XMLNode* node = _next; node; node = node->_next ) {\n        const XMLElement* element = node->ToElementWithName( name );",
         "    for( const XMLNode* node = _next; node; node = node->_next ) {\n        const XMLElement* element = node->ToText() || node->ToComment() ? 0 : node->ToElementWithName( name );"),)),
    Slower("tinyxml2", "a search that goes on after it has found", "tinyxml2.cpp", (
        ("    for( XMLAttribute* a = _rootAttribute; a; a = a->_next ) {\n        if ( XMLUtil::StringEqual( a->Name(), name ) ) {\n            return a;\n        }\n    }\n    return 0;\n}\n\n\nconst char* XMLElement::Attribute(",
         "    const XMLAttribute* found = 0;\n    for( XMLAttribute* a = _rootAttribute; a; a = a->_next ) {\n        if ( XMLUtil::StringEqual( a->Name(), name ) ) {\n            found = a;\n        }\n    }\n    return found;\n}\n\n\n"
         "const char* XMLElement::Attribute("),), routine=".*(XMLElement::(FindAttribute|ParseAttributes)|StrPair::GetStr).*"),
    Slower("tinyxml2", "the end of a string is looked for at each character", "tinyxml2.cpp", (("            while( p < _end ) {", "            while( p < _start + strlen( _start ) ) {"),)),
    Slower("minpack", "a division in place of a product", "qrfac.f", (
        ("               a(i,k) = a(i,k) - temp*a(i,j)\n", "               a(i,k) = a(i,k) - sum*a(i,j)/a(j,j)\n"),)),
    Slower("minpack", "a norm that is computed twice", "qrfac.f", (("         rdiag(j) = acnorm(j)\n", "         rdiag(j) = enorm(m,a(1,j))\n"),), routine="enorm"),
    Slower("lapack", "a division in place of a product, by one line", "dgetrf2.f", (
        ("               CALL DSCAL( M-1, ONE / A( 1, 1 ), A( 2, 1 ), 1 )\n", "               A( 2:M, 1 ) = A( 2:M, 1 ) / A( 1, 1 )\n"),)),
    Slower("lapack", "a condition in the innermost loop", "dgemm.f", (
        ("                      DO 70 I = 1,M\n                          C(I,J) = C(I,J) + TEMP*A(I,L)\n", "                      DO 70 I = 1,M\n                          IF (A(I,L).NE.ZERO)\n     +                      C(I,J) = C(I,J) + TEMP*A(I,L)\n"),), routine="dgemm"),
    Slower("lapack", "arguments that may be the same", "dgemm.f", (("\n      DOUBLE PRECISION A(LDA,*),B(LDB,*),C(LDC,*)\n", "\n      DOUBLE PRECISION A(LDA,*),B(LDB,*),C(LDC,*)\n      TARGET A,B,C\n"),), routine="dgemm"),
    Slower("lapack", "a section of an array, which is copied", "dgetrf2.f", (
        ("         CALL DGEMM( 'N', 'N', M-N1, N2, N1, -ONE, A( N1+1, 1 ), LDA,\n", "         CALL DGEMM( 'N', 'N', M-N1, N2, N1, -ONE, A(N1+1:M,1:N1), M-N1,\n"),)),
    Slower("lapack", "a worse order of loops, in the emulator", "dgemm.f", (
        ("                  DO 80 L = 1,K\n                      TEMP = ALPHA*B(L,J)\n                      DO 70 I = 1,M\n                          C(I,J) = C(I,J) + TEMP*A(I,L)\n",
         "                  DO 80 I = 1,M\n                      DO 70 L = 1,K\n                          C(I,J) = C(I,J) + ALPHA*B(L,J)*A(I,L)\n"),), emulated=True),
    Slower("lapack", "a flag lost: -O1 in place of -O3", flags=("-O1",), routine="dgemm"),
)
