//! Proves the text of every kind of number against literals: integers of all widths, and floats as zmij prints them.

use json_rope::to_string;

use crate::support::outputs::golden;

#[test]
fn integers_of_every_width() {
    golden(&(i8::MIN, -1i8, 0i8, i8::MAX), "[-128,-1,0,127]");
    golden(&(i16::MIN, i16::MAX), "[-32768,32767]");
    golden(&(i32::MIN, i32::MAX), "[-2147483648,2147483647]");
    golden(&(i64::MIN, i64::MAX), "[-9223372036854775808,9223372036854775807]");
    golden(&(u8::MIN, 9u8, 10u8, 99u8, 100u8, u8::MAX), "[0,9,10,99,100,255]");
    golden(&(u16::MAX, u32::MAX, u64::MAX), "[65535,4294967295,18446744073709551615]");
    golden(&(isize::MIN, usize::MAX), &format!("[{},{}]", isize::MIN, usize::MAX));
}

#[test]
fn integers_of_every_length() {
    for digits in 0..20 {
        let power = 10u64.pow(digits);
        let one_and_zeros = format!("1{}", "0".repeat(digits as usize));
        assert_eq!(to_string(&power).unwrap(), one_and_zeros);
        assert_eq!(to_string(&u128::from(power)).unwrap(), one_and_zeros);
        let nines = if digits == 0 { "0".into() } else { "9".repeat(digits as usize) };
        assert_eq!(to_string(&(power - 1)).unwrap(), nines);
        if digits < 19 {
            assert_eq!(to_string(&-(power as i64)).unwrap(), format!("-{one_and_zeros}"));
        }
    }
}

/// Every short integer, and every number of digits with all kinds of digits in it, against the standard library.
#[test]
fn integers_with_all_digits() {
    let list = |numbers: &[String]| format!("[{}]", numbers.join(","));
    let short: Vec<i32> = (-70_000..=70_000).collect();
    assert_eq!(to_string(&short).unwrap(), list(&short.iter().map(i32::to_string).collect::<Vec<_>>()));
    let narrow: (Vec<i16>, Vec<u16>) = ((i16::MIN..=i16::MAX).collect(), (0..=u16::MAX).collect());
    assert_eq!(to_string(&narrow).unwrap(), serde_json::to_string(&narrow).unwrap());
    let tiny: (Vec<i8>, Vec<u8>) = ((i8::MIN..=i8::MAX).collect(), (0..=u8::MAX).collect());
    assert_eq!(to_string(&tiny).unwrap(), serde_json::to_string(&tiny).unwrap());
    let mut rng = json_rope_bench_data::generate::SplitMix64::new(1);
    let wide: Vec<u64> = (0..64_000).map(|n| rng.next_u64() >> (n % 64)).collect();
    assert_eq!(to_string(&wide).unwrap(), list(&wide.iter().map(u64::to_string).collect::<Vec<_>>()));
    let signed: Vec<i64> = wide.iter().map(|n| *n as i64).collect();
    assert_eq!(to_string(&signed).unwrap(), list(&signed.iter().map(i64::to_string).collect::<Vec<_>>()));
    let halves: Vec<u32> = wide.iter().map(|n| *n as u32).collect();
    assert_eq!(to_string(&halves).unwrap(), list(&halves.iter().map(u32::to_string).collect::<Vec<_>>()));
    let long: Vec<u128> = wide.windows(2).map(|pair| (u128::from(pair[0]) << 64 | u128::from(pair[1])) >> 3).collect();
    assert_eq!(to_string(&long).unwrap(), list(&long.iter().map(u128::to_string).collect::<Vec<_>>()));
}

/// A number at every distance from the end of a chunk, and from the end of the memory that a document starts in.
#[test]
fn numbers_where_the_room_ends() {
    let numbers = (u64::MAX, i64::MIN, 1.7976931348623155e308, 0u8, i128::MIN, -0.0f32, 65_536u32, -1i8);
    let text = serde_json::to_string(&numbers).unwrap();
    for chunk in [16, 23, 2048] {
        let encoder = json_rope::Encoder::builder().first_chunk(chunk).max_chunk(chunk).build().unwrap();
        for before in (0..60).chain((14 << 10) - 140..(14 << 10) + 20) {
            let value = ("x".repeat(before), numbers);
            let want = format!("[\"{}\",{text}]", value.0);
            assert_eq!(encoder.encode(&value).unwrap(), want);
            let mut out = Vec::new();
            encoder.write(&mut out, &value).unwrap();
            assert!(out == want.as_bytes(), "{before} bytes before, streaming in chunks of {chunk}");
        }
    }
}

#[test]
fn br_032_integers_beyond_64_bits_stay_in_one_chunk() {
    let signed = [18446744073709551616i128, 1, 18446744073709551616];
    golden(&signed, "[18446744073709551616,1,18446744073709551616]");
    golden(&signed.map(|n| n as u128), "[18446744073709551616,1,18446744073709551616]");
    assert_eq!(json_rope::to_rope(&signed).unwrap().chunks().len(), 1);
}

#[test]
fn br_067_integers_of_128_bits() {
    golden(&i128::MIN, "-170141183460469231731687303715884105728");
    golden(&i128::MAX, "170141183460469231731687303715884105727");
    golden(&u128::MAX, "340282366920938463463374607431768211455");
    golden(&[i128::MIN; 2], "[-170141183460469231731687303715884105728,-170141183460469231731687303715884105728]");
}

#[test]
fn br_068_golden_f64() {
    let table: &[(f64, &str)] = &[
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.0, "-1.0"),
        (0.5, "0.5"),
        (0.3, "0.3"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1.0 / 3.0, "0.3333333333333333"),
        (100.0, "100.0"),
        (1234567.5, "1234567.5"),
        (-65.61361699999998, "-65.61361699999998"),
        (1e7, "10000000.0"),
        (1e14, "100000000000000.0"),
        (1e15, "1000000000000000.0"),
        (123456789012345680.0, "1.2345678901234568e+17"),
        (9007199254740991.0, "9007199254740991.0"),
        (9007199254740993.0, "9007199254740992.0"),
        (9999999999999998.0, "9999999999999998.0"),
        (1e16, "1e+16"),
        (1.5e16, "1.5e+16"),
        (1e17, "1e+17"),
        (1e21, "1e+21"),
        (1e22, "1e+22"),
        (1e23, "1e+23"),
        (1e100, "1e+100"),
        (-1.25e300, "-1.25e+300"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (1e-5, "0.00001"),
        (1.5e-5, "0.000015"),
        (0.000012345678901234567, "0.000012345678901234568"),
        (1e-6, "1e-6"),
        (1.25e-6, "1.25e-6"),
        (1e-7, "1e-7"),
        (1e-10, "1e-10"),
        (1e-100, "1e-100"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN, "-1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (2.225073858507201e-308, "2.225073858507201e-308"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (f64::EPSILON, "2.220446049250313e-16"),
        (std::f64::consts::PI, "3.141592653589793"),
        (std::f64::consts::E, "2.718281828459045"),
        (4.35, "4.35"),
        (2.5e-8, "2.5e-8"),
        (1.7976931348623155e308, "1.7976931348623155e+308"),
    ];
    for (number, text) in table {
        golden(number, text);
        assert_eq!(text.parse(), Ok(*number), "{text} is the number");
    }
}

#[test]
fn br_068_golden_f32() {
    let table: &[(f32, &str)] = &[
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (0.3, "0.3"),
        (1.0 / 3.0, "0.33333334"),
        (1.1, "1.1"),
        (16777216.0, "16777216.0"),
        (1e-5, "0.00001"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (1e10, "10000000000.0"),
        (1.2345678e12, "1234567800000.0"),
        (1e15, "1e+15"),
        (1e16, "1e+16"),
        (3.4028235e38, "3.4028235e+38"),
        (-3.4028235e38, "-3.4028235e+38"),
        (f32::MIN_POSITIVE, "1.1754944e-38"),
        (1e-45, "1e-45"),
        (f32::EPSILON, "1.1920929e-7"),
        (std::f32::consts::PI, "3.1415927"),
        (8388608.5, "8388608.0"),
    ];
    for (number, text) in table {
        golden(number, text);
        assert_eq!(text.parse(), Ok(*number), "{text} is the number");
    }
    // A float keeps its width: as a double, 0.1f32 is another number.
    assert_eq!(to_string(&f64::from(0.1f32)).unwrap(), "0.10000000149011612");
}

#[test]
fn br_065_not_finite_is_null() {
    for number in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        golden(&number, "null");
        golden(&(number as f32), "null");
        golden(&[number, 1.0], "[null,1.0]");
        golden(&serde_json::json!([number]), "[null]");
    }
    // Every pattern of a number that is not one.
    for bits in [0x7ff0_0000_0000_0001u64, 0x7fff_ffff_ffff_ffff, 0xfff8_0000_0000_0000] {
        golden(&f64::from_bits(bits), "null");
    }
}

#[test]
fn br_078_no_locale_has_a_say() {
    golden(&[0.1, 1234567.5], "[0.1,1234567.5]");
}

#[test]
fn br_079_shortest_text_that_reads_back() {
    golden(&[1.0, 1.1], "[1.0,1.1]");
}

/// All exponents, and neighbours of powers of two and ten: in step with serde_json, and read back as the same number.
#[test]
fn floats_of_every_magnitude() {
    let mut numbers = Vec::new();
    for exponent in 0..=2046u64 {
        for mantissa in [0, 1, 0xf_ffff_ffff_ffff, 0x8_0000_0000_0000, 0x5_5555_5555_5555] {
            numbers.push(f64::from_bits(exponent << 52 | mantissa));
        }
    }
    for exponent in -323..=308 {
        let power: f64 = format!("1e{exponent}").parse().unwrap();
        numbers.extend([power, power.next_up(), power.next_down(), -power]);
    }
    assert_eq!(json_rope::to_vec(&numbers).unwrap(), serde_json::to_vec(&numbers).unwrap());
    for number in numbers {
        assert_eq!(to_string(&number).unwrap().parse(), Ok(number));
    }
    let numbers: Vec<f32> = (0..=u32::MAX).step_by(40_009).map(f32::from_bits).collect();
    assert_eq!(json_rope::to_vec(&numbers).unwrap(), serde_json::to_vec(&numbers).unwrap());
}
